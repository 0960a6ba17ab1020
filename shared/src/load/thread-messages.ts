import type { PlanOptions } from "../config/compile-plan.ts";
import type { RealmPlan } from "../config/plan.ts";
import type { Problem } from "../config/problem.ts";
import type { CueFile, Place } from "../tools/cue/place.ts";
import type { ObjectSlice } from "./object-slices.ts";

/** What the document thread is given when it starts. */
export type ThreadData = { readonly memoryBytes: number };

/** What is asked of it, one thing at a time. */
export type ThreadRequest =
  /** Evaluate and compile a configuration. */
  | { readonly kind: "plan"; readonly files: readonly CueFile[]; readonly options: PlanOptions }
  /** Evaluate to plain JSON. */
  | { readonly kind: "json"; readonly files: readonly CueFile[] }
  /** Find places in the document that was evaluated last. */
  | { readonly kind: "locate"; readonly problems: readonly Problem[] }
  /** Send the next objects of a plan. */
  | { readonly kind: "more" };

export type PlacedProblem = { readonly message: string; readonly place: Place };

export type ThreadReply =
  | { readonly kind: "json"; readonly json: unknown }
  /** The plan without its objects; they follow in slices, each asked for, so that the receiver is never held up. */
  | { readonly kind: "plan"; readonly head: Omit<RealmPlan, "objects"> }
  | { readonly kind: "objects"; readonly slice: ObjectSlice }
  /** The problems with the places that cost nothing to find; better ones follow in `rejected`. */
  | { readonly kind: "rough"; readonly problems: readonly PlacedProblem[] }
  | { readonly kind: "rejected"; readonly problems: readonly PlacedProblem[] }
  | { readonly kind: "out_of_memory" };
