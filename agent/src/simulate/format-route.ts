import { formatDuration } from "@realmwatch/shared/text/duration";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { describeDecision } from "./describe-decision.ts";
import { formatColumns } from "./format-columns.ts";
import type { Route, RouteNotification } from "./route.ts";
import type { RouteScenario } from "./route-scenario.ts";

const showSecond = (atMs: number): string => formatInstant(Math.floor(atMs / 1_000) * 1_000);

/** A route for people. */
export function formatRoute(route: Route, story: RouteScenario): string {
  const { ref, kind, atMs } = story;
  const policy = route.policy === "" ? "no policy" : `policy ${JSON.stringify(route.policy)}`;
  return [
    `${kind} of ${ref} at ${showSecond(atMs)}, ${policy}`,
    ...(route.messages.length === 0 ? ["nobody is told"] : showMessages(route, atMs)),
    ...(route.everyMs === undefined ? [] : [`and so on, every ${formatDuration(route.everyMs)}`]),
    ...whyNot(route, kind),
  ].join("\n");
}

/** To the second; what comes before the story has a minus. */
const showAfter = (ms: number): string =>
  `${ms < 0 ? "-" : "+"}${formatDuration(Math.round(Math.abs(ms) / 1_000) * 1_000)}`;

/** Of a repetition that goes on and on two are shown. */
function showMessages({ messages }: Route, fromMs: number): string[] {
  const rows = [["AT", "AFTER", "LEVEL", "WHAT", "TOLD", "NOT TOLD"]];
  let alike = 0;
  for (const [at, message] of messages.entries()) {
    alike = isRepetition(messages[at - 1], message) ? alike + 1 : 0;
    if (alike > 1 && isRepetition(message, messages[at + 1])) continue;
    if (alike > 2) rows.push([`… ${alike - 2} more`]);
    rows.push([
      ...[showSecond(message.atMs), showAfter(message.atMs - fromMs)],
      ...[
        `${message.level + 1}`,
        `${message.kind} ${message.status}`,
        message.contacts.join(", "),
        showMissed(message),
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

const showMissed = ({ missed }: RouteNotification): string =>
  missed.map(({ contact, because }) => `${contact}: ${describeDecision(because)}`).join("; ");

/** Reasons that are listed; a calendar that opens and closes for a month has many. */
const maxWithheld = 10;

/** A level that is never reached is one of an escalation; all else goes to the level where the problem stands. */
function sayNever({ because }: Route["never"][number], kind: string): string {
  if (because.reason !== "not_due" || kind === "PROBLEM") return describeDecision(because);
  return kind === "RECOVERY" ? "not told of the problem" : "another level is told";
}

function whyNot({ withheld, never, policy, unwatched }: Route, kind: string): string[] {
  const lines = withheld
    .slice(0, maxWithheld)
    .map(({ atMs, kind: what, because }) => `withheld at ${showSecond(atMs)}: ${what}, ${describeDecision(because)}`);
  if (withheld.length > maxWithheld)
    lines.push(`withheld ${withheld.length - maxWithheld} times more: -output json has all`);
  if (policy === "" && withheld.length === 0) lines.push("the object has no notification policy: nobody is ever told");
  if (unwatched && kind.startsWith("FLAPPING")) lines.push("flap detection of the object is off");
  for (const each of never)
    lines.push(`never told: ${each.contact} of level ${each.level + 1}: ${sayNever(each, kind)}`);
  return lines;
}

/** The same for programs. */
export function routeJson(route: Route, story: RouteScenario): unknown {
  const { policy, messages, withheld, everyMs, never } = route;
  const reason = ({ because }: { because: Parameters<typeof describeDecision>[0] }) => ({
    reason: because.reason,
    name: because.name,
    ...(because.untilMs === undefined ? {} : { until: formatInstant(because.untilMs) }),
    text: describeDecision(because),
  });
  return {
    object: story.ref,
    kind: story.kind,
    at: formatInstant(story.atMs),
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
