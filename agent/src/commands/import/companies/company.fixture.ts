import type { SourceFiles } from "../import-run.fixture.ts";

/** Configuration of a company that a script makes, with what real ones have. */
export type Company = {
  readonly name: string;
  readonly files: SourceFiles;
  readonly main: string;
  /** Template library, where the system has one. */
  readonly library?: SourceFiles;
};

/** Numbers below `below`, the same ones for the same seed. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
export const addressOf = (n: number): string => `10.${1 + (n >> 8)}.${n & 255}.10`;
export const sites = ["fra", "ams", "nyc", "sin"] as const;
export const hostRoles = ["web", "db", "mail", "app", "cache"] as const;

/** File with malformed objects, which the company's own system refuses: it has its list without that. */
export const refusedFile = "broken/new-customer.cfg";
