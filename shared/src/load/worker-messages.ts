import type { PlanHead, PlanOptions } from "../config/compile/compile-plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import type { CueFile, SourcePosition } from "../platform/cue/source/source-position.ts";

/** What the document thread is given when it starts. */
export type DocumentWorkerData = {
  readonly memoryBytes: number;
  /** How many slices of objects the receiver has taken in, of all that were ever sent: it is awaited, and shared. */
  readonly taken: Int32Array;
};

/** What is asked of it, one thing at a time. */
export type DocumentWorkerRequest =
  /** Evaluate and compile a configuration. `early`: send objects while others are compiled, not once it holds. */
  | {
      readonly kind: "plan";
      readonly files: readonly CueFile[];
      readonly options: PlanOptions;
      readonly early: boolean;
    }
  /** Evaluate to plain JSON. */
  | { readonly kind: "json"; readonly files: readonly CueFile[] }
  /** Find places in the document that was evaluated last. */
  | { readonly kind: "locate"; readonly problems: readonly DocumentProblem[] };

export type LocatedProblem = { readonly message: string; readonly position: SourcePosition };

export type DocumentWorkerReply =
  | { readonly kind: "json"; readonly json: unknown }
  /** Objects follow slice by slice; then `plan` or, where they come early, perhaps that all of it is refused. */
  | { readonly kind: "begun"; readonly head: PlanHead }
  | { readonly kind: "objects"; readonly slice: string }
  /** The plan that was told since `begun` holds. */
  | { readonly kind: "plan"; readonly hash: string }
  /** The problems with the places that cost nothing to find; better ones follow in `rejected`. */
  | { readonly kind: "rough"; readonly problems: readonly LocatedProblem[] }
  | { readonly kind: "rejected"; readonly problems: readonly LocatedProblem[] }
  | { readonly kind: "out_of_memory" };
