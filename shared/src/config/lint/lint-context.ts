import type { Calendar } from "../../calendar/timeperiod.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { Problem } from "../problem.ts";
import { sentence } from "../problem-message.ts";
import type { Span } from "./week-coverage.ts";

export type Path = Problem["path"];

export type LintOptions = {
  /** Timeperiods are looked at from here on, Unix ms. */
  readonly nowMs: number;
  /** Whether a program or a file is there; a name without a slash may be a program of the search path. */
  readonly exists: (path: string) => boolean;
};

/** One look over a plan, and what it found so far. */
export type Linting = LintOptions & {
  readonly plan: RealmPlan;
  readonly calendar: Calendar;
  /** When a timeperiod is open within a span; worked out once for each. */
  readonly openings: (name: string, span: Span) => readonly Span[];
  readonly warnings: Problem[];
};

/** Notes a warning; `predicate` goes on where the field's name ends. */
export function warn(l: Linting, path: Path, predicate: string, more: Partial<Problem> = {}): void {
  l.warnings.push({ path, message: sentence(path, predicate), at: "value", ...more });
}

/** Where an object is declared. */
export function pathOfObject({ key }: ObjectPlan): Path {
  switch (key.kind) {
    case "host":
      return ["hosts", key.name];
    case "service":
      return ["hosts", key.host, "services", key.name];
    case "process":
      return ["processes", key.name];
  }
}
