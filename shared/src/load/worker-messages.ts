import type { PlanHead, PlanOptions } from "../config/compile/compile-plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import type { ProgramCommandOptions } from "../platform/cue/engine/program-command.ts";
import type { CueFile, SourcePosition } from "../platform/cue/source/source-position.ts";
import type { SentObject } from "./object-ranges.ts";

/** Installed program that evaluates documents instead of the built-in CUE. */
export type EvaluatorProgram = Pick<ProgramCommandOptions, "program" | "documentFolder">;

/** Start data of a document worker. */
export type DocumentWorkerData = {
  /** Memory limit of each CUE engine, bytes. */
  readonly memoryBytes: number;
  /** Shared counter of the batches that the receiver has taken over, since the start of the worker. */
  readonly receivedBatches: Int32Array;
  /** Undefined for the built-in CUE. */
  readonly evaluatorProgram: (EvaluatorProgram & { readonly workFolder: string }) | undefined;
  /** Shared number for the `ProcessGroup` in which the program runs. */
  readonly processGroup: Int32Array;
};

/** Request to a document worker. Requests must not overlap. */
export type DocumentWorkerRequest =
  /** Evaluates and compiles a configuration. `eager` sends objects during compilation instead of after it. */
  | {
      readonly kind: "plan";
      readonly files: readonly CueFile[];
      readonly options: PlanOptions;
      readonly eager: boolean;
      /** True when the receiver has the plan of the last valid configuration: objects of it are not sent again. */
      readonly hasLast: boolean;
    }
  /** Evaluates a document to JSON. Problems do not quote the values of `secretFields`. */
  | { readonly kind: "json"; readonly files: readonly CueFile[]; readonly secretFields: readonly string[] }
  /** Ends a load; has no reply. After some time without a request the thread gives memory back. */
  | { readonly kind: "rest" }
  /** Locates problems in the document that was evaluated last, before `rest`. */
  | { readonly kind: "locate"; readonly problems: readonly DocumentProblem[] };

/**
 * Stage of a load, in this order. `start`: the files are read while the thread starts. `parse`: the source is read, which
 * is all that plain data needs. `evaluate`: CUE runs. `compile`: the plan is made and handed over. `locate`: problems or
 * warnings are found in the source. `lint`: the plan is linted.
 */
export type LoadStage = "start" | "parse" | "evaluate" | "compile" | "lint" | "locate";

/** Begin of a stage, or of a further part of it: `fraction`, in [0, 1], is what has been done where that is known. */
export type StageReport = { readonly stage: LoadStage; readonly fraction?: number | undefined };

/** Problem with its source position. */
export type LocatedProblem = { readonly message: string; readonly position: SourcePosition };

/** Message of a worker: the reply to a request, or a report of the stage that a load has reached. */
export type DocumentWorkerMessage = DocumentWorkerReply | ({ readonly kind: "stage" } & StageReport);

export type DocumentWorkerReply =
  | { readonly kind: "json"; readonly json: unknown }
  /** Start of a plan. `objects` follow, then `plan_end` or, with `eager`, a rejection. */
  | { readonly kind: "plan_head"; readonly head: PlanHead }
  | { readonly kind: "objects"; readonly objects: readonly SentObject[] }
  /** End of a valid plan. `wholeReason`: expression for which the document was evaluated as a whole. */
  | {
      readonly kind: "plan_end";
      readonly hash: string;
      readonly wholeReason: LocatedProblem | undefined;
    }
  /** Problems with positions that are found without CUE. `rejected` follows with exact ones. */
  | { readonly kind: "approximate"; readonly problems: readonly LocatedProblem[] }
  | { readonly kind: "rejected"; readonly problems: readonly LocatedProblem[] }
  | { readonly kind: "out_of_memory" };
