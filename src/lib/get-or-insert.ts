/** A Map, a WeakMap or a cache, which hold no undefined. */
interface MapLike<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => unknown;
}

/**
 * What a map has under a key; where it has nothing, what is made, which it has from then on. As `getOrInsertComputed` of
 * maps, which Node 24 does not know.
 */
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
