/** Plain data, as `JSON.parse` makes it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonStruct;
export type JsonStruct = { [label: string]: Json };

/** A JSON object's own field, whatever its name: assigning to `__proto__` would do something else. */
export function setField(struct: JsonStruct, label: string, value: Json): void {
  if (label === "__proto__")
    Object.defineProperty(struct, label, { value, writable: true, enumerable: true, configurable: true });
  else struct[label] = value;
}

/** The value of an own field; undefined where there is none. */
export function ownField(struct: JsonStruct, label: string): Json | undefined {
  const value = struct[label];
  return value !== undefined && Object.hasOwn(struct, label) ? value : undefined;
}

export const isJsonStruct = (value: Json): value is JsonStruct =>
  typeof value === "object" && value !== null && !Array.isArray(value);
