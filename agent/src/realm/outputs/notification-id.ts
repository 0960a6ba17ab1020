import { createHash } from "node:crypto";

/** 32 hexadecimal digits, safe in mail and HTTP headers, and equal for equal parts. */
export const hashId = (parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** Problem of an object: `number` counts the problems of the object since `sinceMs`, Unix ms. */
type CountedProblem = {
  readonly realm: string;
  readonly ref: string;
  readonly sinceMs: number;
  readonly number: number;
};

/** Id that all notifications about one problem share. */
export const problemId = ({ realm, ref, sinceMs, number }: CountedProblem): string =>
  hashId([realm, ref, sinceMs, "problem", number]);

/** Id of the object's present state; another one after every change of status. */
export const eventId = (realm: string, ref: string, changedAtMs: number): string =>
  hashId([realm, ref, changedAtMs, "event"]);
