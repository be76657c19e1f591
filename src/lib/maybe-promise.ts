/** A value, or a promise of one. On SQLite rows are there when the statement returns, so most reads need no promise. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value, at once if it is no promise. */
export function after<Value, Next>(
  value: MaybePromise<Value>,
  goOn: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Both values. */
export function both<One, Other>(
  one: MaybePromise<One>,
  other: MaybePromise<Other>,
): MaybePromise<readonly [One, Other]> {
  return one instanceof Promise || other instanceof Promise
    ? Promise.all([one, other])
    : [one, other];
}

/** The results of the items, one after the other. */
export function inTurn<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => MaybePromise<Answer>,
): MaybePromise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const [index, item] of items.entries()) {
    const answer = ask(item);
    if (answer instanceof Promise) return rest(answers, answer, items.slice(index + 1), ask);
    answers.push(answer);
  }
  return answers;
}

async function rest<Item, Answer>(
  answers: Answer[],
  next: Promise<Answer>,
  items: readonly Item[],
  ask: (item: Item) => MaybePromise<Answer>,
): Promise<readonly Answer[]> {
  answers.push(await next);
  for (const item of items) answers.push(await ask(item));
  return answers;
}

/** The result of `work`, or of `failed` if it throws or rejects. */
export function unless<Value>(
  work: () => MaybePromise<Value>,
  failed: (error: unknown) => Value,
): MaybePromise<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
