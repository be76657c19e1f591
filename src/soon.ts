/** A value that is there already, or comes. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on when a value is there: at once where it is, since to wait for it would cost each request a turn of its own. */
export function after<Value, Next>(
  value: Soon<Value>,
  goOn: (value: Value) => Soon<Next>,
): Soon<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Two values, when both are there. */
export function both<One, Other>(one: Soon<One>, other: Soon<Other>): Soon<readonly [One, Other]> {
  return one instanceof Promise || other instanceof Promise
    ? Promise.all([one, other])
    : [one, other];
}

/** What `work` gives, or what is made of its error, whether it throws now or later. */
export function unless<Value>(
  work: () => Soon<Value>,
  failed: (error: unknown) => Value,
): Soon<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
