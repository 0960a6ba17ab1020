import type { Interval } from "../../calendar/interval.ts";
import type { Calendar } from "../../calendar/timeperiod.ts";
import { never } from "../../model/never.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import { documentProblem } from "../problem-message.ts";

export type LintOptions = {
  /** Start of the time in which timeperiods are examined, Unix ms. */
  readonly nowMs: number;
  /** Returns true when a file exists. A name without a slash may be a program of the search path. */
  readonly exists: (path: string) => boolean;
};

/** State of linting one plan, with the warnings found so far. */
export type LintContext = LintOptions & {
  readonly plan: RealmPlan;
  readonly calendar: Calendar;
  /** Open times of a timeperiod within a time span; cached. */
  readonly openings: (name: string, span: Interval) => readonly Interval[];
  readonly warnings: DocumentProblem[];
};

/** Adds a warning. `predicate` continues the sentence after the field's name. */
export const addWarning = ({ warnings }: LintContext, ...warning: Parameters<typeof documentProblem>): void =>
  void warnings.push(documentProblem(...warning));

/** Path of an object's declaration. */
export function objectPath({ key }: ObjectPlan): DocumentPath {
  switch (key.kind) {
    case "host":
      return ["hosts", key.name];
    case "service":
      return ["hosts", key.host, "services", key.name];
    case "process":
      return ["processes", key.name];
    default:
      return never(key);
  }
}
