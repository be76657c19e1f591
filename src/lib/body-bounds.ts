/** What the values of one body may take together, since one body holds thousands. */
interface BodyBounds {
  /** How long they are tried against patterns that RE2 does not take, in ms of this thread. */
  patternTime: number;
  /** How many names that do not exist are told what they may have been meant to be. More are not typing errors. */
  suggestions: number;
}

const most: Readonly<BodyBounds> = { patternTime: 500, suggestions: 100 };
const unbounded: Readonly<BodyBounds> = { patternTime: Infinity, suggestions: Infinity };

/** What is left of them; no bound while no body is read. */
export const leftInBody: BodyBounds = { ...unbounded };

/** Reads a body within its bounds. */
export function inBody<Value>(read: () => Value): Value {
  Object.assign(leftInBody, most);
  try {
    return read();
  } finally {
    Object.assign(leftInBody, unbounded);
  }
}
