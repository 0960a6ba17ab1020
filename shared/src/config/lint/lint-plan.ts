import { type Calendar, openCalendar } from "../../calendar/timeperiod.ts";
import type { RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import type { LintContext, LintOptions } from "./lint-context.ts";
import { lintNotifications, usedPolicies } from "./lint-notifications.ts";
import { lintPolicies } from "./lint-policies.ts";
import { lintUnused } from "./lint-unused.ts";
import { lintValues } from "./lint-values.ts";
import { openSpans, type TimeSpan } from "./week-coverage.ts";

/**
 * What in a plan is allowed and hardly meant: objects that nobody is told of, hours that nobody covers, levels that
 * never come to their turn, declarations that nothing names, programs that are not there. None of it keeps the plan
 * from running.
 */
export function lintPlan(plan: RealmPlan, options: LintOptions): readonly DocumentProblem[] {
  const calendar = openCalendar(plan.timeperiods);
  const l: LintContext = { ...options, plan, calendar, openings: memoizeOpenings(calendar), warnings: [] };
  const mute = lintPolicies(l, usedPolicies(plan));
  lintNotifications(l, mute);
  lintUnused(l);
  lintValues(l);
  return l.warnings;
}

/** Policies share their periods, and most of them a zone. */
function memoizeOpenings(calendar: Calendar): LintContext["openings"] {
  const kept = new Map<string, readonly TimeSpan[]>();
  return (name, span) => {
    const key = `${span.fromMs} ${span.toMs} ${name}`;
    const spans = kept.get(key) ?? openSpans(calendar, name, span);
    kept.set(key, spans);
    return spans;
  };
}
