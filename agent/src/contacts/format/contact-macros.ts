import type { Notification, NotificationKind } from "@realmwatch/shared/model/notification";
import { isKnownMacro } from "@realmwatch/shared/text/command/macro";
import {
  environmentName,
  type MacroLookup,
  maxValueInArgument,
  maxValueInEnvironment,
  truncateBytes,
} from "@realmwatch/shared/text/command/macro-value";
import { timeMacros } from "@realmwatch/shared/text/command/time-macros";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import type { ContactPlanOf } from "../contact-type.ts";
import { statusText } from "./notification-text.ts";

type MacroValues = Readonly<Record<string, string>>;

/** Values of `$NOTIFICATIONTYPE$` in Nagios, which has no type of its own for a change between problem statuses. */
const nagiosKinds: Readonly<Record<NotificationKind, string>> = {
  PROBLEM: "PROBLEM",
  RECOVERY: "RECOVERY",
  STATUS_CHANGE: "PROBLEM",
  FLAPPING_START: "FLAPPINGSTART",
  FLAPPING_STOP: "FLAPPINGSTOP",
  ACKNOWLEDGEMENT: "ACKNOWLEDGEMENT",
  DOWNTIME_START: "DOWNTIMESTART",
  DOWNTIME_END: "DOWNTIMEEND",
  DOWNTIME_CANCELLED: "DOWNTIMECANCELLED",
  CUSTOM: "CUSTOM",
};

/**
 * Macro values of a notification by name without dollar signs, except `$USERn$`. Values stored at the decision override
 * those computed here; values of the contact override both.
 */
export function notificationMacros(notification: Notification, contact: ContactPlanOf<"command">): MacroValues {
  const { kind, author, comment, level, number } = notification;
  return {
    ...objectMacros(notification),
    ...timeMacros(notification.atMs),
    NOTIFICATIONRECIPIENTS: contact.name,
    NOTIFICATIONNUMBER: String(number),
    NOTIFICATIONPOSSIBLEDUPLICATE: notification.possibleDuplicate ? "1" : "0",
    NOTIFICATIONISESCALATED: level > 0 ? "1" : "0",
    ...notification.macros,
    NOTIFICATIONTYPE: nagiosKinds[kind],
    NOTIFICATIONKIND: kind,
    NOTIFICATIONAUTHOR: author,
    NOTIFICATIONCOMMENT: comment,
    CONTACTNAME: contact.name,
    CONTACTALIAS: contact.name,
    CONTACTEMAIL: contact.address,
    CONTACTPAGER: "",
  };
}

/** Macros of the notification's object. */
function objectMacros({ key, status, stateType, attempt, maxAttempts, ...rest }: Notification): MacroValues {
  const prefix = key.kind === "service" ? "SERVICE" : "HOST";
  const own = {
    [`${prefix}STATE`]: statusText(status),
    [`${prefix}STATETYPE`]: stateType.toUpperCase(),
    [`${prefix}ATTEMPT`]: String(attempt),
    [`MAX${prefix}ATTEMPTS`]: String(maxAttempts),
    [`LAST${prefix}STATE`]: statusText(rest.previousStatus),
    [`${prefix}OUTPUT`]: rest.output,
    [`LONG${prefix}OUTPUT`]: rest.longOutput,
    [`${prefix}PERFDATA`]: formatPerfdata(rest.perfdata),
    [`${prefix}DURATIONSEC`]: String(Math.max(0, Math.floor((rest.atMs - rest.sinceMs) / 1_000))),
    [`${prefix}NOTIFICATIONNUMBER`]: String(rest.number),
    [`${prefix}PROBLEMID`]: rest.problemId,
  };
  if (key.kind !== "service") return { HOSTNAME: key.name, HOSTALIAS: key.name, HOSTDISPLAYNAME: key.name, ...own };
  const host = { HOSTNAME: key.host, HOSTALIAS: key.host, HOSTDISPLAYNAME: key.host };
  return { ...host, SERVICEDESC: key.name, SERVICEDISPLAYNAME: key.name, ...own };
}

/** Macro lookup: empty for a known macro without a value, undefined for an unknown macro. */
export function notificationMacroLookup(values: MacroValues, resources: MacroValues): MacroLookup {
  return (name) => {
    const from = name.startsWith("USER") ? resources : values;
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    return value === undefined ? (isKnownMacro(name) ? "" : undefined) : truncateBytes(value, maxValueInArgument);
  };
}

/** `NAGIOS_…` variables of the environment, without `$USERn$`, which often are secrets. */
export const notificationEnvironment = (values: MacroValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => isKnownMacro(name) && !name.startsWith("USER"))
      .map(([name, value]) => [environmentName(name), truncateBytes(value, maxValueInEnvironment)]),
  );
