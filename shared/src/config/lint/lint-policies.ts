import { type Interval, intersect, union } from "../../calendar/interval.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import type { LevelPlan, PolicyPlan } from "../plan.ts";
import { addWarning, type LintContext } from "./lint-context.ts";
import { findGaps, formatWeekRanges, isWholeWeek, subtractRanges, type Weeks, weeksFrom } from "./week-coverage.ts";

/** Time span that "never" refers to: two years, as in the calendar. */
const horizonMs = 731 * 86_400_000;

/** A level and the times in which it reaches a recipient. */
type LevelReach = { readonly level: LevelPlan; readonly path: DocumentPath; readonly spans: readonly Interval[] };

/**
 * Warns of levels that are never reached and, for the policies in `used`, of hours without a recipient.
 *
 * @returns the names of the policies that never reach a recipient
 */
export function lintPolicies(l: LintContext, used: ReadonlySet<string>): ReadonlySet<string> {
  const mutePolicies = new Set<string>();
  for (const [name, policy] of l.plan.policies) {
    const weeks = weeksFrom(l.nowMs, zoneOf(policy, l));
    const path = ["notifications", name];
    const reaches = reachesOf(policy, { path, weeks }, l);
    const reached = lintLevels(reaches, l);
    if (!used.has(name)) continue;
    if (reached.some(({ spans }) => spans.length > 0)) lintHours({ reaches: reached, path, weeks }, l);
    else {
      mutePolicies.add(name);
      addWarning(l, path, "never reaches a recipient: its periods never overlap", { at: "struct" });
    }
  }
  return mutePolicies;
}

/** Time zone for a policy's hours: that of the first period that it or its contacts use; default: UTC. */
function zoneOf({ period, levels }: PolicyPlan, { plan }: LintContext): string {
  const periods = [
    period,
    ...levels.map((level) => level.period),
    ...levels.flatMap(({ contacts }) => contacts.map((name) => plan.contacts.get(name)?.notificationPeriod ?? "")),
  ];
  const first = periods.find((name) => name !== "");
  return plan.timeperiods.get(first ?? "")?.timezone ?? "UTC";
}

type PolicyHours = { readonly path: DocumentPath; readonly weeks: Weeks };

function reachesOf(
  { period, levels }: PolicyPlan,
  { path, weeks }: PolicyHours,
  l: LintContext,
): readonly LevelReach[] {
  const fromMs = weeks.spans[0]?.fromMs ?? l.nowMs;
  const window: Interval = { fromMs, toMs: fromMs + horizonMs };
  const open = (name: string): readonly Interval[] => l.openings(name, window);
  return levels.map((level, i) => {
    const contacts = level.contacts.map((name) => open(l.plan.contacts.get(name)?.notificationPeriod ?? ""));
    const spans = intersect(intersect(open(period), open(level.period)), union(contacts.flat()));
    return { level, path: [...path, "levels", i], spans };
  });
}

/** Warns of levels without effect. Returns the levels that a problem can reach. */
function lintLevels(reaches: readonly LevelReach[], l: LintContext): readonly LevelReach[] {
  const deadEnd = reaches.findIndex((reach, i) => i < reaches.length - 1 && describeDeadEnd(reach) !== undefined);
  const reached = deadEnd < 0 ? reaches : reaches.slice(0, deadEnd + 1);
  const deadEndReach = reaches[deadEnd];
  const why = deadEndReach === undefined ? undefined : describeDeadEnd(deadEndReach);
  for (const { path } of reaches.slice(reached.length))
    addWarning(l, path, `can never be reached: levels[${deadEnd}] ${why}`);
  for (const [i, { level, path, spans }] of reached.entries()) {
    if (spans.length === 0 && reached.some((other) => other.spans.length > 0))
      addWarning(l, path, "never reaches a recipient: its periods never overlap");
    if (level.threshold > 0 && level.renotifyIntervalMs === 0 && i < reached.length - 1)
      addWarning(l, [...path, "renotify_interval"], "is 0s: the next level is notified only if the status changes");
  }
  return reached;
}

/** Predicate that says why no problem escalates from a level to the next; undefined when problems do. */
function describeDeadEnd({ level, spans }: LevelReach): string | undefined {
  if (level.threshold === 0) return "has threshold 0, so problems never leave it";
  if (spans.length === 0) return "never reaches a recipient, so problems wait there";
  const counts = (["PROBLEM", "STATUS_CHANGE"] as const).some((kind) => !level.disabledKinds.includes(kind));
  return counts ? undefined : "sends neither PROBLEM nor STATUS_CHANGE, and no other kind counts towards its threshold";
}

function lintHours(
  { reaches, path, weeks }: PolicyHours & { readonly reaches: readonly LevelReach[] },
  l: LintContext,
): void {
  const gaps = findGaps(union(reaches.flatMap(({ spans }) => spans)), weeks);
  if (isWholeWeek(gaps))
    return addWarning(l, path, "reaches no recipient at any hour of a usual week", { at: "struct" });
  const zone = ` (${weeks.zone})`;
  if (gaps.length > 0) addWarning(l, path, `reaches no recipient ${formatWeekRanges(gaps)}${zone}`, { at: "struct" });
  const [first] = reaches;
  if (first === undefined || reaches.length === 1) return;
  const delayed = subtractRanges(findGaps(first.spans, weeks), gaps);
  if (delayed.length > 0)
    addWarning(
      l,
      first.path,
      `delays problems that begin ${formatWeekRanges(delayed)}${zone}, although a later level could notify`,
    );
}
