import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { StatusSort } from "./read-model.ts";
import type { PagePlace } from "./rows/row-page.ts";

type Part = string | number;

/** Encodes parts as an opaque text of letters, digits, `-` and `_`, which clients return unchanged. */
export const encodeToken = (parts: readonly Part[]): string => encodeTokenText(JSON.stringify(parts));

/** Encodes a text as base64url. */
export const encodeTokenText = (text: string): string => Buffer.from(text).toString("base64url");

/** Decodes a token into its parts; undefined when the text is not a token. */
export function decodeToken(token: string): readonly Part[] | undefined {
  try {
    const parts: unknown = JSON.parse(decodeTokenText(token) ?? "");
    return Array.isArray(parts) && parts.every(isPart) ? parts : undefined;
  } catch {
    // Every kind of invalid token gives the same result.
    return undefined;
  }
}

/** Decodes base64url; undefined when the text is not base64url of UTF-8. */
export function decodeTokenText(token: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(token, { alphabet: "base64url" });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const isPart = (part: unknown): part is Part => typeof part === "string" || typeof part === "number";

/** State of the read model when a walk over pages began: the process' generation and the number of row changes so far. */
export type WalkStart = { readonly generation: string; readonly change: number };

/** Place of a page token, with the beginning of its walk. */
export type TokenPlace = { readonly place: PagePlace; readonly start: WalkStart };

/** Token of the place where a page ended; empty after the last page. It stays valid while rows change. */
export function rowPageToken(
  sort: StatusSort,
  place: PagePlace | undefined,
  { generation, change }: WalkStart,
): string {
  if (place === undefined) return "";
  const { kind, after } = place;
  const position = kind === "moved" ? [after] : [after.value, after.age, after.sortKey];
  return encodeToken([sortName(sort), generation, change, ...position]);
}

/** Parses the token of a page; undefined for the first page. */
export function parseRowPageToken(sort: StatusSort, token: string): Result<TokenPlace | undefined, Refusal> {
  if (token === "") return ok(undefined);
  const [tokenSort, generation, change, ...position] = decodeToken(token) ?? [];
  const place = placeOf(position);
  if (typeof generation !== "string" || typeof change !== "number" || place === undefined)
    return fail(invalidPageToken);
  return tokenSort === sortName(sort)
    ? ok({ place, start: { generation, change } })
    : fail({ ...invalidPageToken, why: "belongs to another sort order" });
}

function placeOf([first, age, sortKey, ...rest]: readonly Part[]): PagePlace | undefined {
  if (rest.length > 0) return undefined;
  if (typeof first === "string" && age === undefined) return { kind: "moved", after: first };
  if (typeof first !== "number" || typeof age !== "number" || typeof sortKey !== "string") return undefined;
  return { kind: "ordered", after: { value: first, age, sortKey } };
}

export const invalidPageToken = {
  kind: "malformed",
  field: "pageToken",
  why: "is not a page token of this service",
} as const satisfies Refusal;

const sortName = ({ by, reverse }: StatusSort): string => `${reverse ? "-" : ""}${by}`;

/** Position of a client: number of row changes so far, and on an aggregator its position in the realms' records. */
type ModelRevision = { readonly change: number; readonly realms: string };

/** Formats a revision of the read model, which begins with the generation of its process. */
export const formatModelRevision = (generation: string, { change, realms }: ModelRevision): string =>
  [generation, ...(realms === "" ? [] : [realms]), change].join(".");

/** Parses a revision of this generation; undefined for every other text. */
export function parseModelRevision(revision: string, generation: string): ModelRevision | undefined {
  if (!revision.startsWith(`${generation}.`)) return undefined;
  const [, realms = "", digits] = /^(?:([\d-]{1,99})\.)?(\d{1,15})$/.exec(revision.slice(generation.length + 1)) ?? [];
  return digits === undefined ? undefined : { change: Number(digits), realms };
}

/**
 * True when a client with one revision may continue with the other. The number of the row change may differ, and so may
 * the place in the sweep over the realms' last messages: the next sweep brings what this one skips.
 */
export const areRevisionsInterchangeable = (one: string, other: string): boolean =>
  knownChangesOf(one) === knownChangesOf(other);

/** Generation and changes of the realms' records that a revision includes. */
const knownChangesOf = (revision: string): string =>
  revision.slice(0, revision.lastIndexOf(".")).replace(/(\.\d+-\d+)(?:-\d+){3}$/, "$1");
