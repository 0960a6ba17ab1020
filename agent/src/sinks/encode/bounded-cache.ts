/** Most values that a cache holds before it is emptied. */
const maxCached = 20_000;

/** Remembers results of a pure function of a text. */
export function boundedCache<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= maxCached) known.clear();
    const value = compute(text);
    known.set(text, value);
    return value;
  };
}
