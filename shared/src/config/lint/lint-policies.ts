import type { DocumentPath } from "../../text/document-path.ts";
import type { LevelPlan, PolicyPlan } from "../plan.ts";
import { addWarning, type LintContext } from "./lint-context.ts";
import {
  findGaps,
  formatWeekRanges,
  intersectSpans,
  isWholeWeek,
  subtractRanges,
  type TimeSpan,
  uniteSpans,
  type Weeks,
  weeksFrom,
} from "./week-coverage.ts";

/** How far ahead "never" looks: as far as the calendar does, two years. */
const horizonMs = 731 * 86_400_000;

/** A level, and when it reaches somebody. */
type LevelReach = { readonly level: LevelPlan; readonly path: DocumentPath; readonly spans: readonly TimeSpan[] };

/**
 * Warns of levels that never come to their turn and of hours in which a policy tells nobody, for the policies in `used`.
 *
 * @returns the names of the policies that never tell anybody
 */
export function lintPolicies(l: LintContext, used: ReadonlySet<string>): ReadonlySet<string> {
  const mute = new Set<string>();
  for (const [name, policy] of l.plan.policies) {
    const weeks = weeksFrom(l.nowMs, zoneOf(policy, l));
    const path = ["notifications", name];
    const reaches = reachesOf(policy, { path, weeks }, l);
    const reached = lintLevels(reaches, l);
    if (!used.has(name)) continue;
    if (reached.some(({ spans }) => spans.length > 0)) lintHours({ reaches: reached, path, weeks }, l);
    else {
      mute.add(name);
      addWarning(l, path, "never reaches anybody: its hours have none in common", { at: "struct" });
    }
  }
  return mute;
}

/** The zone that a policy's hours are thought in: that of the first period it has to do with. */
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
  const window: TimeSpan = { fromMs, toMs: fromMs + horizonMs };
  const open = (name: string): readonly TimeSpan[] => l.openings(name, window);
  return levels.map((level, i) => {
    const contacts = level.contacts.map((name) => open(l.plan.contacts.get(name)?.notificationPeriod ?? ""));
    const spans = intersectSpans(intersectSpans(open(period), open(level.period)), uniteSpans(contacts));
    return { level, path: [...path, "levels", i], spans };
  });
}

/** Warns of the levels that cannot do anything; answers those that a problem can come to. */
function lintLevels(reaches: readonly LevelReach[], l: LintContext): readonly LevelReach[] {
  const barrier = reaches.findIndex((reach, i) => i < reaches.length - 1 && describeDeadEnd(reach) !== undefined);
  const reached = barrier < 0 ? reaches : reaches.slice(0, barrier + 1);
  const stuck = reaches[barrier];
  const why = stuck === undefined ? undefined : describeDeadEnd(stuck);
  for (const { path } of reaches.slice(reached.length))
    addWarning(l, path, `can never be reached: levels[${barrier}] ${why}`);
  for (const [i, { level, path, spans }] of reached.entries()) {
    if (spans.length === 0 && reached.some((other) => other.spans.length > 0))
      addWarning(l, path, "never reaches anybody: its hours have none in common");
    if (level.threshold > 0 && level.renotifyIntervalMs === 0 && i < reached.length - 1)
      addWarning(l, [...path, "renotify_interval"], "is 0s: the next level is told only if the status changes");
  }
  return reached;
}

/** Why no problem ever leaves a level for the next one, as a predicate. */
function describeDeadEnd({ level, spans }: LevelReach): string | undefined {
  if (level.threshold === 0) return "has threshold 0, which keeps problems for ever";
  if (spans.length === 0) return "never reaches anybody, and a problem waits there";
  const counts = (["PROBLEM", "STATUS_CHANGE"] as const).some((kind) => !level.disabledKinds.includes(kind));
  return counts ? undefined : "sends neither PROBLEM nor STATUS_CHANGE, and nothing else counts";
}

function lintHours(
  { reaches, path, weeks }: PolicyHours & { readonly reaches: readonly LevelReach[] },
  l: LintContext,
): void {
  const gaps = findGaps(uniteSpans(reaches.map(({ spans }) => spans)), weeks);
  if (isWholeWeek(gaps)) return addWarning(l, path, "reaches nobody at any hour of a usual week", { at: "struct" });
  const zone = ` (${weeks.zone})`;
  if (gaps.length > 0) addWarning(l, path, `reaches nobody ${formatWeekRanges(gaps)}${zone}`, { at: "struct" });
  const [first] = reaches;
  if (first === undefined || reaches.length === 1) return;
  const held = subtractRanges(findGaps(first.spans, weeks), gaps);
  if (held.length > 0)
    addWarning(
      l,
      first.path,
      `holds back what begins ${formatWeekRanges(held)}${zone}, though a later level could tell somebody`,
    );
}
