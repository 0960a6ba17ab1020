import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import type { Downtime, NotificationProgress, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { atMsOf, formatAge, formatLocalTime, refText } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";
import { explainReason } from "./explain-reason.ts";

/** What is explained. */
export type ObjectStatus = {
  readonly row: StatusRow;
  /** The realm's own switches; undefined where they are not known. */
  readonly program: ProgramToggles | undefined;
};

/** Sentences that say how an object stands, who was told of it or why nobody was, and what keeps it quiet. */
export function explainObject({ row, program }: ObjectStatus, screen: Screen): readonly string[] {
  return [
    stateSentence(row, screen),
    ...notificationSentences(row, screen),
    ...handlingSentences(row, screen),
    ...switchSentences(row, program),
    checkSentence(row, screen),
  ];
}

const hasProblem = ({ status }: StatusRow): boolean => {
  const word = statusCodec.fromProto(status);
  return word !== undefined && isProblem(word);
};

function stateSentence(row: StatusRow, screen: Screen): string {
  const { lastChange, output, attempt, maxAttempts, stateType } = row;
  const status = statusCodec.fromProto(row.status)?.toUpperCase() ?? "in a state that this version does not know";
  const since =
    lastChange === undefined ? "" : ` since ${formatLocalTime(lastChange, screen)} (${formatAge(lastChange, screen)})`;
  const soft = stateType === StateType.SOFT;
  const tries = soft
    ? `, not confirmed yet: try ${attempt} of ${maxAttempts}`
    : `, confirmed after ${tryCount(maxAttempts)}`;
  const said = output === "" ? "" : `: ${output}`;
  return `${refText(row.object)} is ${status}${since}${hasProblem(row) ? tries : ""}${said}`;
}

const tryCount = (count: number): string => (count === 1 ? "1 try" : `${count} tries`);

function notificationSentences(row: StatusRow, screen: Screen): readonly string[] {
  const { notification } = row;
  if (notification === undefined)
    return [
      hasProblem(row)
        ? "Nobody was told as far as this server knows: the row says nothing of notifications."
        : "There is nothing to tell: it has no problem that anybody was told of.",
    ];
  return [...progressSentences(notification, screen), ...reasonSentence(notification, screen)];
}

function progressSentences(progress: NotificationProgress, screen: Screen): readonly string[] {
  const { level, sentAtLevel, last, next } = progress;
  const sent = sentAtLevel === 0 ? "nothing was sent yet" : `${messages(sentAtLevel)} sent`;
  const lastOne =
    last === undefined ? "" : `; the last one ${formatLocalTime(last, screen)} (${formatAge(last, screen)} ago)`;
  return [
    `Escalation level ${level}: ${sent} at this level${lastOne}.`,
    next === undefined ? "No further message is planned." : nextSentence(next, screen),
  ];
}

/** A message whose time has passed waits for what keeps it back. */
const nextSentence = (next: Timestamp, screen: Screen): string =>
  (atMsOf(next) ?? 0) > screen.nowMs
    ? `The next message is due ${formatLocalTime(next, screen)}, if nothing keeps it back.`
    : `The next message has been due since ${formatLocalTime(next, screen)}, and is kept back.`;

const messages = (count: number): string => (count === 1 ? "1 message was" : `${count} messages were`);

const reasonSentence = ({ because }: NotificationProgress, screen: Screen): readonly string[] => {
  if (because === undefined) return [];
  return [
    because.reason === "sent"
      ? `Last: ${explainReason(because, screen)}.`
      : `Kept back: ${explainReason(because, screen)}.`,
  ];
};

/** What makes the problem one that is looked after. */
function handlingSentences(row: StatusRow, screen: Screen): readonly string[] {
  const { acknowledgement: given, downtimes, inDowntime, suppressedBy, flapping } = row;
  const own = downtimes.filter(({ inEffect }) => inEffect === true);
  const waiting = downtimes.filter(({ inEffect }) => inEffect !== true);
  const sentences: string[] = [];
  if (given !== undefined) {
    const behalf = given.onBehalfOf === "" ? "" : ` for ${given.onBehalfOf}`;
    const end = given.expiresAt === undefined ? "" : ` until ${formatLocalTime(given.expiresAt, screen)}`;
    const kind = given.sticky === true ? ", and stays so until it recovers" : ", until its status changes";
    sentences.push(
      `Acknowledged by ${given.author || "somebody"}${behalf} ${formatLocalTime(given.at, screen)}${end || kind}: ${given.comment}`,
    );
  }
  for (const downtime of own) sentences.push(`In downtime until ${endOf(downtime, screen)}: ${aboutOf(downtime)}`);
  if (inDowntime === true && own.length === 0) sentences.push("In downtime, because its host is.");
  for (const downtime of waiting)
    sentences.push(
      `A downtime waits, ${formatLocalTime(downtime.start, screen)} to ${formatLocalTime(downtime.end, screen)}: ${aboutOf(downtime)}`,
    );
  if (suppressedBy.length > 0) sentences.push(`Held quiet by ${suppressedBy.join(", ")}.`);
  if (flapping === true) sentences.push(`Flapping: its rate of change is ${Math.round(row.flapValue * 100)} %.`);
  return sentences;
}

function endOf({ kind, end }: Downtime, screen: Screen): string {
  const until = kind.case === "flexible" || kind.case === "triggered" ? kind.value.activeUntil : undefined;
  return formatLocalTime(until ?? end, screen);
}

const aboutOf = ({ id, author, onBehalfOf, comment }: Downtime): string => {
  const who = onBehalfOf || author;
  return `${id}${who === "" ? "" : ` by ${who}`}${comment === "" ? "" : `, ${comment}`}`;
};

function switchSentences(row: StatusRow, program: ProgramToggles | undefined): readonly string[] {
  const own: [what: string, on: boolean | undefined][] = [
    ["Notifications", row.notificationsEnabled],
    ["Active checks", row.activeChecksEnabled],
    ["Passive checks", row.passiveChecksEnabled],
    ["Event handlers", row.eventHandlerEnabled],
    ["Flap detection", row.flapDetectionEnabled],
  ];
  const realm: [what: string, on: boolean | undefined][] = [
    ["Notifications", program?.notifications],
    ["Active checks", program?.activeChecks],
    ["Passive checks", program?.passiveChecks],
    ["Event handlers", program?.eventHandlers],
    ["Flap detection", program?.flapDetection],
  ];
  return [
    ...own.filter(([, on]) => on === false).map(([what]) => `${what} of this object: switched off.`),
    ...realm.filter(([, on]) => on === false).map(([what]) => `${what} of the whole realm: switched off.`),
  ];
}

function checkSentence(row: StatusRow, screen: Screen): string {
  const { checkPeriod, lastCheck, nextCheck } = row;
  const last = lastCheck === undefined ? "It was never checked" : `Last checked ${formatLocalTime(lastCheck, screen)}`;
  const within = checkPeriod === "" ? "" : `, within the timeperiod ${checkPeriod} only`;
  if (nextCheck === undefined) return `${last}; no check of its own is planned${within}.`;
  return `${last}; the next check is ${formatLocalTime(nextCheck, screen)}${within}.`;
}
