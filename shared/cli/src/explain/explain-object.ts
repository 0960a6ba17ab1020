import type { Downtime, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { capital } from "@realmwatch/shared/view/capital";
import { personText } from "@realmwatch/shared/view/person";
import { counted } from "@realmwatch/shared/view/plural";
import { hasProblem, isSoftState } from "@realmwatch/shared/view/row-status";
import { disabledFeatures } from "@realmwatch/shared/view/row-switches";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { formatAge, formatLocalTime, refText } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";
import { explainNotifications } from "./explain-notifications.ts";

/** Object to explain. */
type ObjectStatus = {
  readonly row: StatusRow;
  /** Switches of the whole realm; undefined when they are not known. */
  readonly program: ProgramToggles | undefined;
};

/** Explains the state of an object, its notifications, and what suppresses them, in sentences. */
export function explainObject({ row, program }: ObjectStatus, screen: Screen): readonly string[] {
  return [
    stateSentence(row, screen),
    ...explainNotifications({ row, program, screen }),
    ...handlingSentences(row, screen),
    ...switchSentences(row, program),
    checkSentence(row, screen),
  ];
}

function stateSentence(row: StatusRow, screen: Screen): string {
  const { lastChange, output, attempt, maxAttempts, stateType } = row;
  const status = statusCodec.fromProto(row.status)?.toUpperCase() ?? "in a state that this version does not support";
  const since =
    lastChange === undefined ? "" : ` since ${formatLocalTime(lastChange, screen)} (${formatAge(lastChange, screen)})`;
  const soft = isSoftState(stateType);
  const phase = soft
    ? `, soft: attempt ${attempt} of ${maxAttempts}`
    : `, hard after ${counted(maxAttempts, "attempt")}`;
  const outputText = output === "" ? "" : `: ${output}`;
  return `${refText(row.object)} is ${status}${since}${hasProblem(row) ? phase : ""}${outputText}`;
}

/** Sentences on acknowledgement, downtimes, suppression and flapping. */
function handlingSentences(row: StatusRow, screen: Screen): readonly string[] {
  const { acknowledgement: given, downtimes, inDowntime, suppressedBy, flapping, cause, impact } = row;
  const own = downtimes.filter(({ inEffect }) => inEffect === true);
  const waiting = downtimes.filter(({ inEffect }) => inEffect !== true);
  const sentences: string[] = [];
  if (given !== undefined) {
    const end = given.expiresAt === undefined ? "" : ` until ${formatLocalTime(given.expiresAt, screen)}`;
    const kind = given.sticky === true ? ", until recovery" : ", until the status changes";
    sentences.push(
      `Acknowledged by ${personText(given) || "unknown"} ${formatLocalTime(given.at, screen)}${end || kind}: ${given.comment}`,
    );
  }
  for (const downtime of own) sentences.push(`In downtime until ${endOf(downtime, screen)}: ${downtimeText(downtime)}`);
  if (inDowntime === true && own.length === 0) sentences.push("In downtime of its host.");
  for (const downtime of waiting)
    sentences.push(
      `Downtime scheduled, ${formatLocalTime(downtime.start, screen)} to ${formatLocalTime(downtime.end, screen)}: ${downtimeText(downtime)}`,
    );
  if (suppressedBy.length > 0) sentences.push(`Suppressed by ${suppressedBy.join(", ")}.`);
  if (cause !== undefined) sentences.push(`The topmost cause is ${refText(cause)}.`);
  const behind = sizeOfImpact(impact);
  if (behind > 0) sentences.push(`${counted(behind, "object")} behind it: unreachable, or suppressed because of it.`);
  if (flapping === true) sentences.push(`Flapping: state change rate ${Math.round(row.flapValue * 100)} %.`);
  return sentences;
}

function endOf({ kind, end }: Downtime, screen: Screen): string {
  const until = kind.case === "flexible" || kind.case === "triggered" ? kind.value.activeUntil : undefined;
  return formatLocalTime(until ?? end, screen);
}

const downtimeText = ({ id, comment, ...given }: Downtime): string => {
  const who = personText(given);
  return `${id}${who === "" ? "" : ` by ${who}`}${comment === "" ? "" : `, ${comment}`}`;
};

function switchSentences(row: StatusRow, program: ProgramToggles | undefined): readonly string[] {
  const realm: [what: string, on: boolean | undefined][] = [
    ["Notifications", program?.notifications],
    ["Active checks", program?.activeChecks],
    ["Passive checks", program?.passiveChecks],
    ["Event handlers", program?.eventHandlers],
    ["Flap detection", program?.flapDetection],
  ];
  return [
    ...disabledFeatures(row).map((what) => `${capital(what)} disabled for this object.`),
    ...realm.filter(([, on]) => on === false).map(([what]) => `${what} disabled for the whole realm.`),
  ];
}

function checkSentence(row: StatusRow, screen: Screen): string {
  const { checkPeriod, lastCheck, nextCheck } = row;
  const last = lastCheck === undefined ? "Never checked" : `Last checked ${formatLocalTime(lastCheck, screen)}`;
  const within = checkPeriod === "" ? "" : `, only within the timeperiod ${checkPeriod}`;
  if (nextCheck === undefined) return `${last}; no check is scheduled${within}.`;
  return `${last}; next check ${formatLocalTime(nextCheck, screen)}${within}.`;
}
