/** Freezes plain data all the way down, maps and all they hold included; returns it. What is frozen is not entered. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const held = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
  // Texts and numbers are most of what there is: not worth a call.
  for (const each of held) if (typeof each === "object") deepFreeze(each);
  return value;
}
