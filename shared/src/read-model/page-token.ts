import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { StatusSort } from "./read-model.ts";
import type { SortPosition } from "./rows/row-order.ts";

type Part = string | number;

/** Parts as one text of letters, digits, `-` and `_`, which clients hand back as they got it. */
export function encodeToken(parts: readonly Part[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The parts of a token; undefined where the text never was one. */
export function decodeToken(token: string): readonly Part[] | undefined {
  try {
    const binary = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const parts: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(parts) && parts.every(isPart) ? parts : undefined;
  } catch {
    // Whoever made up a token gets the same answer for each way of being wrong.
    return undefined;
  }
}

const isPart = (part: unknown): part is Part => typeof part === "string" || typeof part === "number";

/** Where a page ended. It names a place and not a count, so that it holds while rows come and go. */
export const rowPageToken = (sort: StatusSort, place: SortPosition): string =>
  encodeToken([sortName(sort), place.value, place.sortKey]);

/** The place after which the next page begins; undefined for the first page. */
export function parseRowPageToken(sort: StatusSort, token: string): Result<SortPosition | undefined, Refusal> {
  if (token === "") return ok(undefined);
  const [sorted, value, text, ...rest] = decodeToken(token) ?? [];
  if (typeof value !== "number" || typeof text !== "string" || rest.length > 0) return fail(invalidPageToken);
  return sorted === sortName(sort) ? ok({ value, text }) : fail({ ...invalidPageToken, why: "is of another sort order" });
}

export const invalidPageToken = {
  kind: "malformed",
  field: "pageToken",
  why: "is none that this service gave out",
} as const satisfies Refusal;

const sortName = ({ by, reverse }: StatusSort): string => `${reverse ? "-" : ""}${by}`;

/** A model's state as clients know it: which life of which process, and how many changes it had seen. */
export const formatModelRevision = (generation: string, change: number): string => `${generation}.${change}`;

/** The number of changes that a revision of this generation names; undefined for every other text. */
export function parseModelRevision(revision: string, generation: string): number | undefined {
  if (!revision.startsWith(`${generation}.`)) return undefined;
  const digits = revision.slice(generation.length + 1);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
