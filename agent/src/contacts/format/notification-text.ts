import { never } from "@realmwatch/shared/model/never";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { isProblem } from "@realmwatch/shared/model/status";
import { formatInstant, formatSecond } from "@realmwatch/shared/text/instant";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import type { MessageOrigin } from "../contact-message.ts";
import { acknowledgeUrl, isAcknowledgeable, isProblemKind, objectPageUrl } from "./object-links.ts";
import { sanitiseLine, sanitiseText } from "./sanitise-text.ts";

/** Longest texts that a message for people shows, characters. */
const maxName = 120;
const maxOutput = 1_000;
const maxLongOutput = 4_000;
const maxComment = 500;

/** Words about a notification of which an earlier attempt may have arrived, and the label before them. */
export const possibleDuplicateText = "an earlier attempt may have arrived";
export const possibleDuplicateLabel = "Possible duplicate";

/** Texts of one notification for people; all of them are sanitised. */
export type NotificationText = {
  readonly status: Status;
  /** Event and object: `CRITICAL: http on web1 [fra]`. */
  readonly subject: string;
  /** The subject as a sentence. */
  readonly headline: string;
  readonly output: string;
  readonly longOutput: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Advice to the recipient; empty when there is none. */
  readonly hint: string;
  /** URL of the object's page; empty when the URL of the dashboard is not set. */
  readonly url: string;
  /** URL that opens the dialog to acknowledge the problem; empty when there is none to acknowledge, or no dashboard. */
  readonly acknowledgeUrl: string;
};

export function describeNotification(notification: Notification, origin: MessageOrigin): NotificationText {
  const url = objectPageUrl(notification.key, origin);
  return {
    status: notification.status,
    subject: `${describeEvent(notification)} [${origin.realm}]`,
    headline: formatHeadline(notification, origin.realm),
    output: sanitiseText(notification.output, maxOutput),
    longOutput: sanitiseText(notification.longOutput, maxLongOutput),
    facts: factsOf(notification, origin.realm),
    hint: hintFor(notification, url),
    url,
    acknowledgeUrl: acknowledgeUrl(notification, origin),
  };
}

/** Details of a problem for services that show them as fields: address, beginning and last good state. */
export const lastGoodState = ({ address, problemSinceMs, lastOkAtMs }: Notification): Record<string, string> => ({
  ...(address === undefined ? {} : { address }),
  ...(problemSinceMs === undefined ? {} : { problem_since: formatInstant(problemSinceMs) }),
  ...(lastOkAtMs === undefined ? {} : { last_ok: formatInstant(lastOkAtMs) }),
});

/** Beginning of the status, RFC 3339. An object that was never checked has its status since the notification. */
export const statusSince = ({ sinceMs, atMs }: Pick<Notification, "sinceMs" | "atMs">): string =>
  formatInstant(sinceMs > 0 ? sinceMs : atMs);

export const statusText = (status: Status): string => status.toUpperCase();

/** `http on web1`, `host web1`, `process shop`. */
function describeObject(key: ObjectKey): string {
  const name = sanitiseLine(key.name, maxName);
  return key.kind === "service" ? `${name} on ${sanitiseLine(key.host, maxName)}` : `${key.kind} ${name}`;
}

function describeEvent(notification: Notification): string {
  const { kind, key, status, previousStatus, number } = notification;
  const name = describeObject(key);
  const now = statusText(status);
  const by = notification.author === "" ? "" : ` by ${sanitiseLine(notification.author, maxName)}`;
  switch (kind) {
    case "PROBLEM":
      return number > 1 ? `Still ${now}: ${name}` : `${now}: ${name}`;
    case "RECOVERY":
      return `Recovered: ${name} is ${now}`;
    case "STATUS_CHANGE":
      return `${now} (was ${statusText(previousStatus)}): ${name}`;
    case "FLAPPING_START":
      return `Flapping: ${name} is ${now}`;
    case "FLAPPING_STOP":
      return `Flapping ended: ${name} is ${now}`;
    case "ACKNOWLEDGEMENT":
      return `Acknowledged${by}: ${name} is ${now}`;
    case "DOWNTIME_START":
      return `Downtime began: ${name}`;
    case "DOWNTIME_END":
      return `Downtime ended: ${name} is ${now}`;
    case "DOWNTIME_CANCELLED":
      return `Downtime cancelled: ${name} is ${now}`;
    case "CUSTOM":
      return `Custom notification${by}: ${name} is ${now}`;
    default:
      return never(kind);
  }
}

/** Sentence before the headline's statement that names an event other than a problem; empty for a problem. */
function eventSentence({ kind, author, previousStatus }: Notification): string {
  const by = author === "" ? "" : ` by ${sanitiseLine(author, maxName)}`;
  const events: Readonly<Record<Notification["kind"], string>> = {
    PROBLEM: "",
    RECOVERY: "Recovered.",
    STATUS_CHANGE: `Changed from ${statusText(previousStatus)}.`,
    FLAPPING_START: "Flapping: changes of status are not notified until it ends.",
    FLAPPING_STOP: "Flapping ended.",
    ACKNOWLEDGEMENT: `Acknowledged${by}.`,
    DOWNTIME_START: author === "" ? "Downtime began." : `Downtime began, scheduled${by}.`,
    DOWNTIME_END: "Downtime ended.",
    DOWNTIME_CANCELLED: `Downtime cancelled${by}.`,
    CUSTOM: `Custom notification${by}.`,
  };
  return events[kind];
}

function formatHeadline(notification: Notification, realm: string): string {
  const { key, status, stateType } = notification;
  const soft = isProblem(status) && stateType === "soft" ? ", not yet for certain" : "";
  const what =
    key.kind === "service"
      ? `Service ${describeObject(key)}`
      : describeObject(key).replace(/^./, (c) => c.toUpperCase());
  const state = `${what} in realm ${realm} is ${statusText(status)}${soft}.`;
  return [eventSentence(notification), state].filter(Boolean).join(" ");
}

type Fact = readonly [label: string, value: string];

/** Facts that an entry of a digest shows too: a comment is the reason of the message, for a fallback the only one. */
const digestLabels: ReadonlySet<string> = new Set([possibleDuplicateLabel, "Comment", "Since", "Last OK"]);

export const digestFacts = ({ facts }: Pick<NotificationText, "facts">): readonly Fact[] =>
  facts.filter(([label]) => digestLabels.has(label));

/** Facts in the order in which an engineer on call needs them: reason, place, times, details. */
function factsOf(notification: Notification, realm: string): Fact[] {
  const { status, previousStatus, stateType, attempt, maxAttempts, number, level, address = "" } = notification;
  const { key } = notification;
  const labels = Object.entries(notification.labels).map(([name, value]) => `${name}=${value}`);
  const isKnown = ([, value]: Fact): boolean => value !== "";
  const where = key.kind === "process" ? "" : key.kind === "service" ? key.host : key.name;
  const soft = isProblem(status) && stateType === "soft";
  const facts: readonly Fact[] = [
    [possibleDuplicateLabel, notification.possibleDuplicate ? possibleDuplicateText : ""],
    ["Comment", sanitiseText(notification.comment, maxComment)],
    ["By", sanitiseLine(notification.author, maxName)],
    ["Realm", realm],
    [
      "Host",
      address === "" || where === "" || where === address ? "" : sanitiseLine(`${where} (${address})`, 2 * maxName),
    ],
    ...timeFacts(notification),
    ["Previous status", previousStatus === status ? "" : statusText(previousStatus)],
    ["Attempt", soft ? `${attempt} of ${maxAttempts}` : ""],
    [
      "Notification",
      isProblemKind(notification) ? `number ${Math.max(1, number)} about this problem, escalation level ${level}` : "",
    ],
    ["Perfdata", sanitiseLine(formatPerfdata(notification.perfdata), maxOutput)],
    ["Labels", sanitiseLine(labels.join(", "), maxComment)],
    ["Decided at", formatTime(notification.atMs)],
  ];
  return facts.filter(isKnown);
}

/** Times of the status, of the whole problem and of the last good state, with their distances from the decision. */
function timeFacts({ kind, status, sinceMs, problemSinceMs, lastOkAtMs, atMs }: Notification): Fact[] {
  const ago = (ms: number): string => `${formatTime(ms)}${formatElapsed(atMs - ms, ", ", " ago")}`;
  const facts: Fact[] = [];
  if (sinceMs > 0) facts.push(["Since", `${formatTime(sinceMs)}${formatElapsed(atMs - sinceMs, ", for ")}`]);
  if (!isProblem(status)) {
    if (kind === "RECOVERY" && lastOkAtMs !== undefined) facts.push(["OK before", ago(lastOkAtMs)]);
    return facts;
  }
  // A result is stored a moment after the start of its check.
  if (problemSinceMs !== undefined && sinceMs - problemSinceMs >= 60_000)
    facts.push(["Problem since", ago(problemSinceMs)]);
  if (lastOkAtMs !== undefined) facts.push(["Last OK", ago(lastOkAtMs)]);
  else if (problemSinceMs !== undefined) facts.push(["Last OK", "never"]);
  return facts;
}

/** Tells the recipient how to stop reminders. */
function hintFor(notification: Notification, url: string): string {
  const { key } = notification;
  if (!isAcknowledgeable(notification)) return "";
  if (url !== "") return "Acknowledge it, so that others know and reminders stop.";
  const ref = refOf(key);
  const target = /^[\w.:!-]+$/.test(ref) && !ref.startsWith("-") ? ` ${ref.includes("!") ? `'${ref}'` : ref}` : "";
  return `Acknowledge it with \`realmwatch ack${target} --comment …\`, so that others know and reminders stop.`;
}

/** Formats an instant for people: `2026-11-21 09:00:00 UTC`. */
const formatTime = (atMs: number): string => formatSecond(atMs).replace("T", " ").replace("Z", " UTC");

/** Formats a distance of at least a minute between `before` and `after`; empty for a shorter one. */
function formatElapsed(ms: number, before: string, after = ""): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "";
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [days > 0 ? `${days}d` : "", hours > 0 ? `${hours}h` : "", rest > 0 ? `${rest}m` : ""];
  return `${before}${parts.filter(Boolean).slice(0, 2).join(" ")}${after}`;
}
