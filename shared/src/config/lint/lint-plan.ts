import type { Interval } from "../../calendar/interval.ts";
import { type Calendar, openCalendar } from "../../calendar/timeperiod.ts";
import type { RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import type { LintContext, LintOptions } from "./lint-context.ts";
import { lintNames } from "./lint-names.ts";
import { lintNotifications, usedPolicies } from "./lint-notifications.ts";
import { lintPolicies } from "./lint-policies.ts";
import { lintSinks } from "./lint-sinks.ts";
import { lintUnused } from "./lint-unused.ts";
import { lintValues } from "./lint-values.ts";
import { openSpans } from "./week-coverage.ts";

/**
 * Finds configuration that is valid but probably unintended: objects without notifications, hours without recipients,
 * escalation levels that are never reached, unused declarations, missing programs.
 */
export function lintPlan(plan: RealmPlan, options: LintOptions): readonly DocumentProblem[] {
  const calendar = openCalendar(plan.timeperiods);
  const l: LintContext = { ...options, plan, calendar, openings: memoizeOpenings(calendar), warnings: [] };
  const mutePolicies = lintPolicies(l, usedPolicies(plan));
  lintNotifications(l, mutePolicies);
  lintUnused(l);
  lintValues(l);
  lintSinks(l);
  lintNames(l);
  return l.warnings;
}

/** Caches open times by timeperiod and time span, because policies share their periods. */
function memoizeOpenings(calendar: Calendar): LintContext["openings"] {
  const cache = new Map<string, readonly Interval[]>();
  return (name, span) =>
    cache.getOrInsertComputed(`${span.fromMs} ${span.toMs} ${name}`, () => openSpans(calendar, name, span));
}
