import type { Calendar } from "../../calendar/timeperiod.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import { problemMessage } from "../problem-message.ts";
import type { TimeSpan } from "./week-coverage.ts";

export type LintOptions = {
  /** Timeperiods are looked at from here on, Unix ms. */
  readonly nowMs: number;
  /** Whether a program or a file is there; a name without a slash may be a program of the search path. */
  readonly exists: (path: string) => boolean;
};

/** One look over a plan, and what it found so far. */
export type LintContext = LintOptions & {
  readonly plan: RealmPlan;
  readonly calendar: Calendar;
  /** When a timeperiod is open within a span; worked out once for each. */
  readonly openings: (name: string, span: TimeSpan) => readonly TimeSpan[];
  readonly warnings: DocumentProblem[];
};

/** Notes a warning; `predicate` goes on where the field's name ends. */
export function addWarning(
  l: LintContext,
  path: DocumentPath,
  predicate: string,
  more: Partial<DocumentProblem> = {},
): void {
  l.warnings.push({ path, message: problemMessage(path, predicate), at: "value", ...more });
}

/** Where an object is declared. */
export function objectPath({ key }: ObjectPlan): DocumentPath {
  switch (key.kind) {
    case "host":
      return ["hosts", key.name];
    case "service":
      return ["hosts", key.host, "services", key.name];
    case "process":
      return ["processes", key.name];
  }
}
