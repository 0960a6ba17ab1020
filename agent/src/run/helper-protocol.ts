import type { ProgramOutcome, ProgramRequest } from "./program.ts";

/** What travels between the pool and a helper, over the channel that Node.js opens between a process and its fork. */
export type Order =
  | { readonly kind: "start"; readonly id: number; readonly request: ProgramRequest }
  | { readonly kind: "abort"; readonly id: number };
export type ToHelper = { readonly orders: readonly Order[] };

export type Done = { readonly id: number; readonly outcome: ProgramOutcome };
export type FromHelper = { readonly done: readonly Done[] };
