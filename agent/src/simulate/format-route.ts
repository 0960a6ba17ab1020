import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { formatInstant, formatSecond } from "@realmwatch/shared/text/instant";
import { isPeriodReason, reasonClause } from "@realmwatch/shared/view/decision-reason";
import { formatColumns } from "./format-columns.ts";
import type { Route, RouteNotification } from "./route.ts";
import type { RouteScenario } from "./route-scenario.ts";

/** Formats a route as text. */
export function formatRoute(route: Route, scenario: RouteScenario): string {
  const { ref, kind, atMs } = scenario;
  const policy = route.policy === "" ? "no policy" : `policy ${JSON.stringify(route.policy)}`;
  return [
    `${kind} of ${ref} at ${formatSecond(atMs)}, ${policy}`,
    ...(route.notifications.length === 0 ? ["no contact is notified"] : notificationRows(route, atMs)),
    ...(route.everyMs === undefined ? [] : [`repeated every ${formatDuration(route.everyMs)}`]),
    ...suppressionLines(route, kind),
  ].join("\n");
}

/** Time after the event, to the second; negative before it. */
const formatAfter = (ms: number): string =>
  `${ms < 0 ? "-" : "+"}${formatDuration(Math.round(Math.abs(ms) / 1_000) * 1_000)}`;

/** Rows of the notifications. Three or more equal ones in a row are shortened to the first two and the last. */
function notificationRows({ notifications }: Route, fromMs: number): string[] {
  const rows = [["AT", "AFTER", "LEVEL", "WHAT", "NOTIFIED", "NOT NOTIFIED"]];
  let alike = 0;
  for (const [at, notification] of notifications.entries()) {
    alike = isRepetition(notifications[at - 1], notification) ? alike + 1 : 0;
    if (alike > 1 && isRepetition(notification, notifications[at + 1])) continue;
    if (alike > 2) rows.push([`… ${alike - 2} more`]);
    rows.push([
      ...[formatSecond(notification.atMs), formatAfter(notification.atMs - fromMs)],
      ...[
        `${notification.level}`,
        `${notification.kind} ${notification.status}`,
        notification.contacts.join(", "),
        formatMissed(notification),
      ],
    ]);
  }
  return formatColumns(rows);
}

const isRepetition = (before: RouteNotification | undefined, after: RouteNotification | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.level === after.level &&
  before.kind === after.kind &&
  before.status === after.status &&
  before.contacts.join() === after.contacts.join();

/** Describes a decision of a route as the end of a sentence. */
function describeDecision({ reason, name, untilMs }: NotificationDecision): string {
  // A route follows a problem through all levels, so one that is not due by then never is.
  if (reason === "not_due") return "its level is never reached";
  const text = reasonClause(reason, name === "" ? "" : ` ${JSON.stringify(name)}`) ?? reason;
  if (untilMs !== undefined) return `${text} until ${formatInstant(untilMs)}`;
  return isPeriodReason(reason) ? `${text} and never opens` : text;
}

const formatMissed = ({ missed }: RouteNotification): string =>
  missed.map(({ contact, decision }) => `${contact}: ${describeDecision(decision)}`).join("; ");

/** Maximum number of suppressed notifications listed: a calendar that opens and closes for a month has many. */
const maxSuppressed = 10;

/** Describes why a contact is never notified. Only `PROBLEM` escalates; other kinds use the current level. */
function describeNever({ decision }: Route["never"][number], kind: string): string {
  if (decision.reason !== "not_due" || kind === "PROBLEM") return describeDecision(decision);
  return kind === "RECOVERY" ? "not notified of the problem" : "another level is notified";
}

function suppressionLines({ suppressed, never, policy, unwatched }: Route, kind: string): string[] {
  const lines = suppressed
    .slice(0, maxSuppressed)
    .map(
      ({ atMs, kind: what, decision }) => `suppressed at ${formatSecond(atMs)}: ${what}, ${describeDecision(decision)}`,
    );
  if (suppressed.length > maxSuppressed)
    lines.push(`suppressed ${suppressed.length - maxSuppressed} more times: -output json lists all`);
  if (policy === "" && suppressed.length === 0)
    lines.push(describeDecision({ reason: "no_policy", name: "", untilMs: undefined }));
  if (unwatched && kind.startsWith("FLAPPING")) lines.push("flap detection of the object is off");
  for (const each of never)
    lines.push(`never notified: ${each.contact} of level ${each.level}: ${describeNever(each, kind)}`);
  return lines;
}

/** The route as JSON. */
export function routeJson(route: Route, scenario: RouteScenario): object {
  const { policy, notifications, suppressed, everyMs, never } = route;
  const reason = ({ decision }: { decision: Parameters<typeof describeDecision>[0] }) => ({
    reason: decision.reason,
    name: decision.name,
    ...(decision.untilMs === undefined ? {} : { until: formatInstant(decision.untilMs) }),
    text: describeDecision(decision),
  });
  return {
    object: scenario.ref,
    kind: scenario.kind,
    at: formatInstant(scenario.atMs),
    policy,
    messages: notifications.map(({ atMs, level, missed, ...notification }) => ({
      ...{ at: formatInstant(atMs), level },
      ...notification,
      notTold: missed.map((each) => ({ contact: each.contact, ...reason(each) })),
    })),
    repeatsEverySeconds: everyMs === undefined ? null : everyMs / 1_000,
    withheld: suppressed.map((each) => ({ at: formatInstant(each.atMs), kind: each.kind, ...reason(each) })),
    neverTold: never.map((each) => ({ contact: each.contact, level: each.level, ...reason(each) })),
  };
}
