/** Freezes JSON-like data recursively, including the values of maps, and returns it. Frozen values are not entered. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const children = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
  // Most values are strings and numbers: checking here saves a call for each.
  for (const child of children) if (typeof child === "object") deepFreeze(child);
  return value;
}
