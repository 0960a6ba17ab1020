import { formatDuration } from "@realmwatch/shared/text/duration";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { describeDecision } from "./describe-decision.ts";
import { formatColumns } from "./format-columns.ts";
import type { Route, RouteNotification } from "./route.ts";
import type { RouteScenario } from "./route-scenario.ts";

const formatSecond = (atMs: number): string => formatInstant(Math.floor(atMs / 1_000) * 1_000);

/** Formats a route as text. */
export function formatRoute(route: Route, scenario: RouteScenario): string {
  const { ref, kind, atMs } = scenario;
  const policy = route.policy === "" ? "no policy" : `policy ${JSON.stringify(route.policy)}`;
  return [
    `${kind} of ${ref} at ${formatSecond(atMs)}, ${policy}`,
    ...(route.messages.length === 0 ? ["no contact is notified"] : notificationRows(route, atMs)),
    ...(route.everyMs === undefined ? [] : [`repeated every ${formatDuration(route.everyMs)}`]),
    ...suppressionLines(route, kind),
  ].join("\n");
}

/** Time after the event, to the second; negative before it. */
const formatAfter = (ms: number): string =>
  `${ms < 0 ? "-" : "+"}${formatDuration(Math.round(Math.abs(ms) / 1_000) * 1_000)}`;

/** Of three or more equal notifications in a row only the first two and the last are listed. */
function notificationRows({ messages }: Route, fromMs: number): string[] {
  const rows = [["AT", "AFTER", "LEVEL", "WHAT", "NOTIFIED", "NOT NOTIFIED"]];
  let alike = 0;
  for (const [at, message] of messages.entries()) {
    alike = isRepetition(messages[at - 1], message) ? alike + 1 : 0;
    if (alike > 1 && isRepetition(message, messages[at + 1])) continue;
    if (alike > 2) rows.push([`… ${alike - 2} more`]);
    rows.push([
      ...[formatSecond(message.atMs), formatAfter(message.atMs - fromMs)],
      ...[
        `${message.level + 1}`,
        `${message.kind} ${message.status}`,
        message.contacts.join(", "),
        formatMissed(message),
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

const formatMissed = ({ missed }: RouteNotification): string =>
  missed.map(({ contact, because }) => `${contact}: ${describeDecision(because)}`).join("; ");

/** Maximum number of suppressed notifications listed: a calendar that opens and closes for a month has many. */
const maxSuppressed = 10;

/** Describes why a contact is never notified. Only `PROBLEM` escalates; other kinds use the current level. */
function describeNever({ because }: Route["never"][number], kind: string): string {
  if (because.reason !== "not_due" || kind === "PROBLEM") return describeDecision(because);
  return kind === "RECOVERY" ? "not notified of the problem" : "another level is notified";
}

function suppressionLines({ withheld, never, policy, unwatched }: Route, kind: string): string[] {
  const lines = withheld
    .slice(0, maxSuppressed)
    .map(
      ({ atMs, kind: what, because }) => `suppressed at ${formatSecond(atMs)}: ${what}, ${describeDecision(because)}`,
    );
  if (withheld.length > maxSuppressed)
    lines.push(`suppressed ${withheld.length - maxSuppressed} more times: -output json lists all`);
  if (policy === "" && withheld.length === 0) lines.push("the object has no notification policy");
  if (unwatched && kind.startsWith("FLAPPING")) lines.push("flap detection of the object is off");
  for (const each of never)
    lines.push(`never notified: ${each.contact} of level ${each.level + 1}: ${describeNever(each, kind)}`);
  return lines;
}

/** The route as JSON. */
export function routeJson(route: Route, scenario: RouteScenario): unknown {
  const { policy, messages, withheld, everyMs, never } = route;
  const reason = ({ because }: { because: Parameters<typeof describeDecision>[0] }) => ({
    reason: because.reason,
    name: because.name,
    ...(because.untilMs === undefined ? {} : { until: formatInstant(because.untilMs) }),
    text: describeDecision(because),
  });
  return {
    object: scenario.ref,
    kind: scenario.kind,
    at: formatInstant(scenario.atMs),
    policy,
    messages: messages.map(({ atMs, level, missed, ...message }) => ({
      ...{ at: formatInstant(atMs), level: level + 1 },
      ...message,
      notTold: missed.map((each) => ({ contact: each.contact, ...reason(each) })),
    })),
    repeatsEverySeconds: everyMs === undefined ? null : everyMs / 1_000,
    withheld: withheld.map((each) => ({ at: formatInstant(each.atMs), kind: each.kind, ...reason(each) })),
    neverTold: never.map((each) => ({ contact: each.contact, level: each.level + 1, ...reason(each) })),
  };
}
