/** A Map, a WeakMap or a cache that holds no undefined. */
interface MapLike<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => unknown;
}

/** The value of a key; if there is none, `make` gives it. As `Map.getOrInsertComputed`, which Node 24 does not have. */
export function getOrInsert<Key, Value>(
  map: MapLike<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
}
