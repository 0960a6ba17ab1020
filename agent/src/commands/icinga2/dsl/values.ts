import type { SourceLine } from "../../import/import-report.ts";

/** Value that Icinga 2 computes at run time, or whose computation is not supported here. `why` is a phrase. */
export class IcingaUnknown {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Dictionary that knows where its entries were set last. */
export class IcingaDictionary {
  readonly #entries = new Map<string, IcingaValue>();
  readonly #sources = new Map<string, SourceLine>();

  get(key: string): IcingaValue {
    return this.#entries.get(key) ?? null;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: IcingaValue, source?: SourceLine): void {
    this.#entries.set(key, value);
    if (source !== undefined) this.#sources.set(key, source);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  sourceOf(key: string): SourceLine | undefined {
    return this.#sources.get(key);
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  entries(): readonly (readonly [string, IcingaValue])[] {
    return [...this.#entries];
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Sets all entries of another dictionary. */
  assign(other: IcingaDictionary): this {
    for (const [key, value] of other.#entries) this.set(key, value, other.#sources.get(key));
    return this;
  }
}

export type IcingaValue = null | boolean | number | string | readonly IcingaValue[] | IcingaDictionary | IcingaUnknown;

export const isIcingaList = (value: IcingaValue): value is readonly IcingaValue[] => Array.isArray(value);

/** Truth of a value: empty texts, arrays and dictionaries, 0 and null are false. */
export function isTruthy(value: IcingaValue): boolean {
  if (isIcingaList(value)) return value.length > 0;
  if (value instanceof IcingaDictionary) return value.size > 0;
  return Boolean(value);
}

/** Text of a scalar value; empty for null. */
export function icingaText(value: IcingaValue): string {
  if (value === null) return "";
  if (isIcingaList(value)) return value.map(icingaText).join(",");
  if (value instanceof IcingaDictionary) return JSON.stringify(jsonOf(value));
  return value instanceof IcingaUnknown ? "" : String(value);
}

/** Value as JSON data. Values that are not known are left out. */
function jsonOf(value: IcingaValue): unknown {
  if (isIcingaList(value)) return value.map(jsonOf);
  if (value instanceof IcingaUnknown) return undefined;
  if (!(value instanceof IcingaDictionary)) return value;
  return Object.fromEntries(value.entries().map(([key, each]) => [key, jsonOf(each)]));
}

/** Equality of the language: null equals an empty text, 0 and false. */
export function isEqual(a: IcingaValue, b: IcingaValue): boolean {
  if (isIcingaList(a) && isIcingaList(b))
    return a.length === b.length && a.every((each, at) => isEqual(each, b[at] ?? null));
  if (a === null || b === null) return !isTruthy(a) && !isTruthy(b) && !(isObject(a) || isObject(b));
  if (typeof a === "boolean" || typeof b === "boolean") return !isObject(a) && !isObject(b) && Number(a) === Number(b);
  return a === b;
}

const isObject = (value: IcingaValue): boolean => typeof value === "object" && value !== null;
