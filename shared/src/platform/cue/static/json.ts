/** JSON data, as `JSON.parse` returns it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonStruct;
export type JsonStruct = { [label: string]: Json };

/** Sets an own field. Assigning to `__proto__` would change the prototype instead. */
export function setField(struct: JsonStruct, label: string, value: Json): void {
  if (label === "__proto__")
    Object.defineProperty(struct, label, { value, writable: true, enumerable: true, configurable: true });
  else struct[label] = value;
}

/** Value of an own field; undefined when it is absent. */
export function ownField(struct: JsonStruct, label: string): Json | undefined {
  const value = struct[label];
  return value !== undefined && Object.hasOwn(struct, label) ? value : undefined;
}
