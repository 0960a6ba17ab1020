import type { DocumentPath } from "../../text/document-path.ts";
import { periodField } from "../parser/names.ts";
import { integer, nonZeroDuration } from "../parser/numbers.ts";
import { type Fields, required, type StructOutput, type VariantType, withDefault } from "../parser/structs.ts";
import type { DocumentProblem } from "../problem.ts";
import { flapParser } from "../schema/flap.ts";

/** Fields that checks of every type have. */
const scheduleFields = {
  check_interval: withDefault(nonZeroDuration, 60_000, { help: "Interval between checks.", example: "5m" }),
  retry_interval: withDefault(nonZeroDuration, 15_000, {
    help: "Interval between checks while a problem is soft.",
    example: "30s",
  }),
  timeout: withDefault(nonZeroDuration, 10_000, {
    help: "Time limit of a check. No effect for `passive`.",
    example: "20s",
  }),
  max_attempts: withDefault(integer({ min: 1 }), 3, {
    help: "Number of consecutive problem results that make a problem hard.",
    example: 5,
  }),
  flap: required(flapParser, { help: "Flap detection; `{}` for the defaults." }),
  check_period: periodField("Period in which checks run; empty: always."),
};

/** Access of a check's compilation to the rest of the document. */
export type CheckCompiler = {
  /** Adds a problem at `path`; `predicate` continues the sentence after the field's name. */
  report(path: DocumentPath, predicate: string, more?: Partial<DocumentProblem>): void;
  /** Reports an undeclared command, unknown macros in arguments, and values from outside that it would run as code. */
  validateCall(call: { readonly command: string; readonly args: readonly string[] }, path: DocumentPath): void;
};

/** Check type in the configuration: its fields, and the spec that is compiled from them. */
type CheckKind<F extends Fields, S extends { readonly type: string }> = VariantType<F> & {
  /** Compiles a check; problems are reported to `compiler`, and the returned spec is not used then. */
  compile(document: StructOutput<F>, path: DocumentPath, compiler: CheckCompiler): S;
  /** Returns the command line of a check for readers, or the target of one without a program. Secrets are masked later. */
  target(spec: S, expandCommand: ExpandCommand): string;
};

/** Expands a command of the document with its arguments for readers; empty for one that is not declared. */
export type ExpandCommand = (name: string, args: readonly string[]) => string;

/** Declares a check type. `fields` are those in addition to the schedule. */
export const checkKind = <F extends Fields, S extends { readonly type: string }>({
  fields,
  ...kind
}: Omit<CheckKind<F, S>, "compile" | "target"> & {
  compile(document: StructOutput<F & typeof scheduleFields>, path: DocumentPath, compiler: CheckCompiler): S;
  target(spec: S, expandCommand: ExpandCommand): string;
}): CheckKind<F & typeof scheduleFields, S> => ({ ...kind, fields: { ...fields, ...scheduleFields } });
