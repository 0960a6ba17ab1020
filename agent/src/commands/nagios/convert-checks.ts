import { type CueObject, durationText, filledFields } from "../import/imported-document.ts";
import { attributeValue, isAttributeOn, type NagiosConfiguration } from "./nagios-configuration.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Freshness of results that Nagios does not expect at any time, s: a year. */
const unlimitedSeconds = 8760 * 3600;

/** Splits `name!arg1!arg2`; `\!` is a literal exclamation mark. */
export function splitCommand(text: string): { readonly command: string; readonly args: readonly string[] } {
  const [command = "", ...args] = text.split(/(?<!\\)!/).map((part) => part.replaceAll("\\!", "!"));
  return { command, args };
}

/** Check, contact or handler that executes a command, which the text names with its arguments. */
export function commandUse(text: string): CueObject {
  const { command, args } = splitCommand(text);
  return { type: "command", command, ...filledFields({ args }) };
}

/** Converts the check of a host or a service. */
export function convertCheck(
  configuration: NagiosConfiguration,
  object: NagiosObject,
  kind: "host" | "service",
): CueObject {
  const schedule = convertSchedule(configuration, object, kind);
  const text = attributeValue(object, "check_command");
  const isActive = isAttributeOn(object, "active_checks_enabled", true);
  if (text !== undefined && isActive) return { ...commandUse(text), ...schedule };
  const threshold = Number(attributeValue(object, "freshness_threshold") ?? 0);
  const isFresh = isAttributeOn(object, "check_freshness", false) && threshold > 0;
  if (isFresh && text !== undefined)
    configuration.approximated(
      object,
      "a result that is overdue becomes UNKNOWN; check_command is not executed",
      "check_freshness",
    );
  if (!isFresh && text !== undefined)
    configuration.approximated(object, "passive: a result is expected at least once a year");
  if (!isFresh && text === undefined)
    configuration.approximated(
      object,
      "without check_command it is passive and stays PENDING until a result is submitted",
    );
  return { type: "passive", freshness_threshold: durationText(isFresh ? threshold : unlimitedSeconds), ...schedule };
}

function convertSchedule(
  configuration: NagiosConfiguration,
  object: NagiosObject,
  kind: "host" | "service",
): CueObject {
  const interval = configuration.seconds(object, "check_interval", 5);
  const retry = configuration.seconds(object, "retry_interval", 1);
  if (interval <= 0)
    configuration.approximated(
      object,
      "checks on demand alone do not exist: it is checked every 5 minutes",
      "check_interval",
    );
  // Naemon has one for each object.
  const timeout = Number(attributeValue(object, "check_timeout") ?? 0);
  return {
    check_interval: durationText(interval > 0 ? interval : 300),
    retry_interval: durationText(retry > 0 ? retry : 60),
    timeout: durationText(
      timeout > 0 ? timeout : configuration.option(`${kind}_check_timeout`, kind === "host" ? 30 : 60),
    ),
    max_attempts: Math.max(1, Number(attributeValue(object, "max_check_attempts") ?? 3) || 3),
    flap: convertFlap(configuration, object, kind),
    ...filledFields({ check_period: attributeValue(object, "check_period") }),
  };
}

function convertFlap(configuration: NagiosConfiguration, object: NagiosObject, kind: "host" | "service"): CueObject {
  const enabled =
    configuration.option("enable_flap_detection", 0) !== 0 && isAttributeOn(object, "flap_detection_enabled", true);
  if (!enabled) return { enabled: false };
  const threshold = (name: "high" | "low", fallback: number): number => {
    const own = Number(attributeValue(object, `${name}_flap_threshold`) ?? 0);
    return (own > 0 ? own : configuration.option(`${name}_${kind}_flap_threshold`, fallback)) / 100;
  };
  const [low, high] = [threshold("low", 20), threshold("high", 30)];
  if (attributeValue(object, "high_flap_threshold") !== undefined)
    configuration.approximated(
      object,
      "flapping is judged by a moving average, not by the last 20 results",
      "high_flap_threshold",
    );
  return { low_threshold: Math.min(low, high), high_threshold: high };
}
