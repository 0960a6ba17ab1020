import type { SharedTexts } from "../text/shared-texts.ts";

/**
 * Freezes JSON-like data recursively, including the values of maps, and returns it. Frozen values are not entered.
 *
 * @param texts shares the texts of the data; default: they stay as they are
 */
export function deepFreeze<T>(value: T, texts?: SharedTexts): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  texts?.shareFields(value);
  Object.freeze(value);
  const children = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
  // Most values are strings and numbers: checking here saves a call for each.
  for (const child of children) if (typeof child === "object") deepFreeze(child, texts);
  return value;
}
