/** Values by a key that several of them have. A key without values is not in the index. */
type SetIndex<V> = Map<string, Set<V>>;

export function addToSet<V>(index: SetIndex<V>, key: string, value: V): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([value]));
  else known.add(value);
}

export function deleteFromSet<V>(index: SetIndex<V>, key: string, value: V): void {
  const known = index.get(key);
  known?.delete(value);
  if (known?.size === 0) index.delete(key);
}
