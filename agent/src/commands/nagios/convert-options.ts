import type { CueObject } from "../import/imported-document.ts";
import { splitCommand } from "./convert-checks.ts";
import type { NagiosConfiguration } from "./nagios-configuration.ts";

/** Switches of the main file that turn off what cannot be turned off in a document. */
const switches: Readonly<Record<string, string>> = {
  enable_notifications: "notifications are on: realmwatch toggle program notifications off",
  execute_host_checks: "checks are on: realmwatch toggle program active-checks off",
  execute_service_checks: "checks are on: realmwatch toggle program active-checks off",
  accept_passive_host_checks: "passive results are accepted: realmwatch toggle program passive-checks off",
  accept_passive_service_checks: "passive results are accepted: realmwatch toggle program passive-checks off",
};

/**
 * Converts options of the main file: time zone, global event handlers and switches.
 *
 * @param handlers receives the handlers that the options name
 */
export function convertOptions(configuration: NagiosConfiguration, handlers: CueObject): CueObject {
  for (const [name, why] of Object.entries(switches)) {
    const option = configuration.optionText(name);
    if (option?.value === "0")
      configuration.report.add({ source: option.source, kind: "option", name, outcome: "unsupported", why });
  }
  const global: CueObject = {};
  for (const kind of ["host", "service"] as const) {
    const text = configuration.optionText(`global_${kind}_event_handler`)?.value;
    if (text === undefined) continue;
    const { command, args } = splitCommand(text);
    handlers[text] = { type: "command", command, ...(args.length > 0 ? { args } : {}) };
    global[kind] = text;
  }
  if (configuration.optionText("enable_event_handlers")?.value === "0") global["enabled"] = false;
  const zone = configuration.optionText("use_timezone")?.value.replace(/^:/, "");
  return {
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(Object.keys(global).length > 0 ? { event_handlers: global } : {}),
  };
}
