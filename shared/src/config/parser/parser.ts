import type { DocumentPath } from "../../text/document-path.ts";
import { maxTypoDistance, nearestName } from "../../text/nearest-name.ts";
import type { DocumentProblem } from "../problem.ts";
import { documentProblem } from "../problem-message.ts";
import type { Schema } from "./schema.ts";

/**
 * Position of a value as a linked list from the value up to the root (undefined). Extending it costs one small object
 * for each value; only a problem turns it into a `DocumentPath`.
 */
export type PathNode = { readonly parent: PathNode; readonly key: string | number } | undefined;

export function toDocumentPath(node: PathNode): DocumentPath {
  const path: (string | number)[] = [];
  for (let at = node; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

/**
 * Code or file of the agent's machine that a document names for a variant: a line of `commands`, a program, a WASI module
 * or a file. `none` is a variant without any: the only ones that the demo profile accepts.
 */
export type LocalUse = "command" | "program" | "module" | "file" | "none";

/** State of parsing one document: the problems found so far and the variant types that are accepted. */
export type ParseContext = {
  readonly problems: DocumentProblem[];
  /** Uses of the variant types that are accepted; other types are treated as unknown. Undefined: all types. */
  readonly allowedUses: readonly LocalUse[] | undefined;
};

type Parse<T> = (value: unknown, node: PathNode, context: ParseContext) => T;

/**
 * Parses one value and describes, as data in `schema`, what it accepts. A wrong value adds a problem to the context and
 * yields a fallback, so that one pass finds all problems of a document. A fallback never causes a second problem.
 */
export type Parser<T> = Parse<T> & { readonly schema: Schema };

/** Type of the values that a parser yields. */
export type ParserOutput<P> = P extends Parser<infer T> ? T : never;

/** Attaches a schema to a parse function, which is changed: pass a function that belongs to this parser alone. */
export const createParser = <T>(schema: Schema, parse: Parse<T>): Parser<T> => Object.assign(parse, { schema });

/** Parses a document from its root. With problems, the document holds fallbacks and must not be used. */
export function parseDocument<T>(
  parser: Parser<T>,
  json: unknown,
  allowedUses?: ParseContext["allowedUses"],
): { readonly document: T; readonly problems: DocumentProblem[] } {
  const problems: DocumentProblem[] = [];
  return { document: parser(json, undefined, { problems, allowedUses }), problems };
}

/** Adds a problem. `predicate` continues the sentence after the field's name (`must be …`). */
export function addProblem(
  context: ParseContext,
  node: PathNode,
  predicate: string,
  more: Partial<DocumentProblem> = {},
): void {
  context.problems.push(documentProblem(toDocumentPath(node), predicate, more));
}

/** Type of a value with its article, as messages name it: `a list`, `a struct`, `null`. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a struct";
  return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`;
}

/** Predicate for an unknown field, with the known name that was probably meant. */
export function describeUnknownField(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names, maxTypoDistance(name));
  return `is not a known field${nearest === undefined ? "" : `; the nearest one is ${JSON.stringify(nearest)}`}`;
}

/** Quotes a text for a message; a text of more than 100 characters is truncated. */
export const quoteText = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
