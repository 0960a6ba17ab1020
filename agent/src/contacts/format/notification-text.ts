import { never } from "@realmwatch/shared/model/never";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { isProblem } from "@realmwatch/shared/model/status";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import type { MessageOrigin } from "../contact-message.ts";
import { sanitiseLine, sanitiseText } from "./sanitise-text.ts";

/** Longest texts that a message for people shows, characters. */
const maxName = 120;
const maxOutput = 1_000;
const maxLongOutput = 4_000;
const maxComment = 500;

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
};

export function describeNotification(notification: Notification, origin: MessageOrigin): NotificationText {
  const url = objectPageUrl(notification.key, origin);
  return {
    status: notification.status,
    subject: `${describeEvent(notification)} [${origin.realm}]`,
    headline: formatHeadline(notification, origin.realm),
    output: sanitiseText(notification.output, maxOutput),
    longOutput: sanitiseText(notification.longOutput, maxLongOutput),
    facts: factsOf(notification),
    hint: hintFor(notification, url),
    url,
  };
}

export const statusText = (status: Status): string => status.toUpperCase();

/** `http on web1`, `host web1`, `process shop`. */
export function describeObject(key: ObjectKey): string {
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

function formatHeadline({ key, status, stateType }: Notification, realm: string): string {
  const soft = isProblem(status) && stateType === "soft" ? ", not yet for certain" : "";
  const what =
    key.kind === "service"
      ? `Service ${describeObject(key)}`
      : describeObject(key).replace(/^./, (c) => c.toUpperCase());
  return `${what} in realm ${realm} is ${statusText(status)}${soft}.`;
}

function factsOf(notification: Notification): (readonly [string, string])[] {
  const { kind, status, previousStatus, stateType, attempt, maxAttempts, sinceMs, atMs, number, level } = notification;
  const facts: (readonly [string, string])[] = [];
  const comment = sanitiseText(notification.comment, maxComment);
  if (comment !== "") facts.push(["Comment", comment]);
  if (notification.author !== "") facts.push(["By", sanitiseLine(notification.author, maxName)]);
  if (sinceMs > 0) facts.push(["Since", `${formatSecond(sinceMs)}${formatElapsed(atMs - sinceMs)}`]);
  if (previousStatus !== status) facts.push(["Before", statusText(previousStatus)]);
  if (isProblem(status) && stateType === "soft") facts.push(["Attempt", `${attempt} of ${maxAttempts}`]);
  if (kind === "PROBLEM" || kind === "STATUS_CHANGE")
    facts.push(["Notification", `number ${Math.max(1, number)} about this problem, level ${level + 1}`]);
  const perfdata = sanitiseLine(formatPerfdata(notification.perfdata), maxOutput);
  if (perfdata !== "") facts.push(["Perfdata", perfdata]);
  const labels = Object.entries(notification.labels).map(([name, value]) => `${name}=${value}`);
  if (labels.length > 0) facts.push(["Labels", sanitiseLine(labels.join(", "), maxComment)]);
  facts.push(["At", formatSecond(atMs)]);
  return facts;
}

/** Tells the recipient how to stop reminders. */
function hintFor({ kind, key, status }: Notification, url: string): string {
  if ((kind !== "PROBLEM" && kind !== "STATUS_CHANGE") || !isProblem(status)) return "";
  if (url !== "") return "Acknowledge it on its page, so that others know and reminders stop.";
  const ref = refOf(key);
  const target = /^[\w.:!-]+$/.test(ref) && !ref.startsWith("-") ? ` ${ref.includes("!") ? `'${ref}'` : ref}` : "";
  return `Acknowledge it with \`realmwatch ack${target} --comment …\`, so that others know and reminders stop.`;
}

/** URL of the object's page in the dashboard; empty when the URL of the dashboard is not set. */
export function objectPageUrl(key: ObjectKey, { realm, publicUrl }: MessageOrigin): string {
  if (publicUrl === undefined) return "";
  const names = key.kind === "service" ? [key.host, key.name] : [key.kind === "process" ? refOf(key) : key.name];
  return [`${publicUrl}/o`, ...[realm, ...names].map((name) => encodeURIComponent(name.toWellFormed()))].join("/");
}

/** Formats an instant in UTC, truncated to seconds. */
export const formatSecond = (atMs: number): string => formatInstant(Math.floor(atMs / 1_000) * 1_000);

function formatElapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "";
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [days > 0 ? `${days}d` : "", hours > 0 ? `${hours}h` : "", rest > 0 ? `${rest}m` : ""];
  return `, for ${parts.filter(Boolean).slice(0, 2).join(" ")}`;
}
