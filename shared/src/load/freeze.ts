/** Freezes plain data all the way down, maps and all they hold included; returns it. What is frozen is not entered. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (value instanceof Map) for (const each of value.values()) deepFreeze(each);
  else for (const each of Object.values(value)) deepFreeze(each);
  return value;
}
