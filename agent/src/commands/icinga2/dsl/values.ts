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

/** Value that cannot be walked through, because it is too large or contains itself. */
export class IcingaValueError extends Error {}

/** Maximum number of values within one value, counted each time that they occur, and their maximum depth. */
const maxValues = 100_000;
const maxValueDepth = 100;

/** Walk through a value. Values that are shared occur many times, and a dictionary may contain itself. */
class ValueWalk {
  #left = maxValues;
  #depth = 0;

  /** Enters a value. Throws IcingaValueError beyond the limits. */
  within<T>(visit: () => T): T {
    this.#left -= 1;
    if (this.#left < 0) throw new IcingaValueError(`a value has more than ${maxValues} values in it`);
    if (this.#depth === maxValueDepth)
      throw new IcingaValueError(`a value contains itself, or is nested more than ${maxValueDepth} levels deep`);
    this.#depth += 1;
    const result = visit();
    this.#depth -= 1;
    return result;
  }
}

/** Checks that a value can be walked through. Throws IcingaValueError. */
export function checkExtent(value: IcingaValue): void {
  jsonOf(value, new ValueWalk());
}

/** Text of a scalar value; empty for null. Throws IcingaValueError. */
export const icingaText = (value: IcingaValue): string => textOf(value, new ValueWalk());

function textOf(value: IcingaValue, walk: ValueWalk): string {
  if (value === null) return "";
  if (isIcingaList(value)) return value.map((each) => walk.within(() => textOf(each, walk))).join(",");
  if (value instanceof IcingaDictionary) return JSON.stringify(jsonOf(value, walk));
  return value instanceof IcingaUnknown ? "" : String(value);
}

/** Value as JSON data. Values that are not known are left out. */
function jsonOf(value: IcingaValue, walk: ValueWalk): unknown {
  if (isIcingaList(value)) return value.map((each) => walk.within(() => jsonOf(each, walk)));
  if (value instanceof IcingaUnknown) return undefined;
  if (!(value instanceof IcingaDictionary)) return value;
  return Object.fromEntries(value.entries().map(([key, each]) => [key, walk.within(() => jsonOf(each, walk))]));
}

/** Equality of the language: null equals an empty text, 0 and false. Throws IcingaValueError. */
export const isEqual = (a: IcingaValue, b: IcingaValue): boolean => areEqual(a, b, new ValueWalk());

function areEqual(a: IcingaValue, b: IcingaValue, walk: ValueWalk): boolean {
  if (isIcingaList(a) && isIcingaList(b))
    return a.length === b.length && a.every((each, at) => walk.within(() => areEqual(each, b[at] ?? null, walk)));
  if (a === null || b === null) return !isTruthy(a) && !isTruthy(b) && !(isObject(a) || isObject(b));
  if (typeof a === "boolean" || typeof b === "boolean") return !isObject(a) && !isObject(b) && Number(a) === Number(b);
  return a === b;
}

const isObject = (value: IcingaValue): boolean => typeof value === "object" && value !== null;
