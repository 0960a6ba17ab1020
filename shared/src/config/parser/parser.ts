import { nearestName, slipOf } from "../../text/nearest.ts";
import type { Form } from "./schema.ts";
import type { Problem } from "../problem.ts";
import { sentence } from "../problem-message.ts";

/** Where a reader stands, as a chain from the inside out: cheap to extend for every value, spelled out on a problem. */
export type Trail = { readonly above: Trail; readonly step: string | number } | undefined;

export function pathOf(trail: Trail): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.above) path.push(at.step);
  return path.reverse();
}

/** One reading of a document: what it found wrong so far, and the variants that are switched off for it. */
export type Reading = {
  readonly problems: Problem[];
  /** By kind of variant (`check`): the types that this reading treats as unknown. */
  readonly refusedTypes: Readonly<Record<string, readonly string[]>>;
};

type Read1<T> = (value: unknown, trail: Trail, reading: Reading) => T;

/**
 * Reads one value. On a problem it says so to the reading and answers its fallback, so that whatever else is wrong
 * with the document is found in the same go. Fallbacks are chosen so that no rule complains about them again. `form`
 * says, as data, what it accepts.
 */
export type Reader<T> = Read1<T> & { readonly form: Form };
export type Read<F> = F extends Reader<infer T> ? T : never;

/** Makes a reader of what it accepts and how it reads. `read` becomes the reader: hand over a function of its own. */
export const readerOf = <T>(form: Form, read: Read1<T>): Reader<T> => Object.assign(read, { form });

/** Reads a document from its root: the value, whatever is wrong with it, and the problems. */
export function readDocument<T>(
  reader: Reader<T>,
  json: unknown,
  refusedTypes: Reading["refusedTypes"] = {},
): { readonly document: T; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  return { document: reader(json, undefined, { problems, refusedTypes }), problems };
}

/** Notes a problem; `predicate` goes on where the field's name ends (`must be …`). */
export function complain(reading: Reading, trail: Trail, predicate: string, more: Partial<Problem> = {}): void {
  const path = pathOf(trail);
  reading.problems.push({ path, message: sentence(path, predicate), at: "value", ...more });
}

/** What a value is, in a sentence. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a struct";
  return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`;
}

export const isStruct = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** That a field is unknown, as a predicate, with the known one that was probably meant. */
export function unknownField(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names, slipOf(name));
  return `is not a known field${nearest === undefined ? "" : `; the nearest one is ${JSON.stringify(nearest)}`}`;
}

/** A text in a message: quoted, and cut where it is long. */
export const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
