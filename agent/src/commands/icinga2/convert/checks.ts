import { type CueObject, durationText, filledFields } from "../../import/imported-document.ts";
import { IcingaDictionary } from "../dsl/values.ts";
import {
  attributeNumber,
  attributeSwitch,
  attributeText,
  customVars,
  type IcingaConfiguration,
  type IcingaObject,
} from "../icinga-object.ts";
import { buildCommandLine, commandTimeout } from "./command-line.ts";
import type { IcingaCommandTemplates } from "./command-templates.ts";
import { builtInCommand, builtInVariables } from "./itl-commands.ts";
import { type IcingaMacroObject, resolveMacros } from "./macros.ts";

/** Freshness of results that are not expected at any time, s: a year. */
const unlimitedSeconds = 8760 * 3600;

/** Reasons why checks that Icinga 2 computes itself have no counterpart, by their commands. */
const internalCommands: Readonly<Record<string, string>> = {
  icinga: "the agent reports on itself at /metrics",
  cluster: "the aggregator shows the realms that it does not reach",
  "cluster-zone": "the aggregator shows the realms that it does not reach",
  ido: "there is no such database",
  icingadb: "there is no such database",
  random: "there is no check with a random result",
  exception: "there is no check that only fails",
};

/** Converts checks; commands that they execute are added to `templates`. */
export class IcingaChecks {
  readonly #configuration: IcingaConfiguration;
  readonly #templates: IcingaCommandTemplates;

  constructor(configuration: IcingaConfiguration, templates: IcingaCommandTemplates) {
    this.#configuration = configuration;
    this.#templates = templates;
  }

  /** Check of a host or a service; undefined where it cannot be carried over, which the report says. */
  convert(object: IcingaObject, host: IcingaObject): CueObject | undefined {
    const objects = macroObjects(object, host);
    const name = attributeText(object, "check_command");
    const schedule = this.#schedule(object);
    const interval = attributeNumber(object, "check_interval", 300);
    if (name === "passive") return passive(interval > 0 ? interval : 300, schedule);
    if (name === undefined || !attributeSwitch(object, "enable_active_checks", true)) {
      const why = name === undefined ? "it has no check_command and" : "its active checks are off, so it";
      this.#configuration.approximated(object, `${why} becomes passive; a result is expected at least once a year`);
      return passive(unlimitedSeconds, schedule);
    }
    const found = this.#configuration.find("CheckCommand", name);
    // Functions of the Icinga template library cannot be evaluated, so a conversion that is known here comes first.
    const own = found !== undefined && this.#configuration.isOfLibrary(found) ? undefined : found;
    const native = own === undefined ? nativeCheck(name, objects) : undefined;
    if (native !== undefined) return { ...native, ...schedule, ...timeoutOf(object, undefined) };
    const internal = own === undefined ? internalCommands[name] : undefined;
    if (internal !== undefined) return this.#refuse(object, `check_command ${name} is left out: ${internal}`);
    const command = own ?? builtInCommand(name, this.#configuration.pluginFolder ?? "/usr/lib/nagios/plugins") ?? found;
    if (command === undefined)
      return this.#refuse(object, `check_command ${name} is not declared here: declare a CheckCommand ${name}`);
    const line = buildCommandLine(command, objects);
    if (!line.ok) return this.#refuse(object, `check_command ${name}: ${line.error}`);
    for (const loss of line.value.losses) this.#configuration.unsupported(object, `${name}: ${loss}`, "check_command");
    return { type: "command", ...this.#templates.use(name, line.value), ...schedule, ...timeoutOf(object, command) };
  }

  #refuse(object: IcingaObject, why: string): undefined {
    this.#configuration.unsupported(object, why, "check_command");
  }

  #schedule(object: IcingaObject): CueObject {
    const [interval, retry] = [
      attributeNumber(object, "check_interval", 300),
      attributeNumber(object, "retry_interval", 60),
    ];
    return {
      check_interval: durationText(interval > 0 ? interval : 300),
      retry_interval: durationText(retry > 0 ? retry : 60),
      max_attempts: Math.max(1, Math.round(attributeNumber(object, "max_check_attempts", 3))),
      flap: this.#flap(object),
      ...filledFields({ check_period: attributeText(object, "check_period") }),
    };
  }

  #flap(object: IcingaObject): CueObject {
    if (!attributeSwitch(object, "enable_flapping", false)) return { enabled: false };
    const low = attributeNumber(object, "flapping_threshold_low", 25) / 100;
    const high = attributeNumber(object, "flapping_threshold_high", 30) / 100;
    const why = "flapping is judged by a moving average, not by the last 20 results";
    this.#configuration.approximated(object, why, "enable_flapping");
    return { low_threshold: Math.min(low, high), high_threshold: high };
  }
}

const passive = (seconds: number, schedule: CueObject): CueObject => ({
  type: "passive",
  freshness_threshold: durationText(seconds),
  ...schedule,
});

function timeoutOf(object: IcingaObject, command: IcingaObject | undefined): CueObject {
  const own = attributeNumber(object, "check_timeout", 0);
  if (own > 0) return { timeout: durationText(own) };
  return command === undefined ? {} : { timeout: durationText(commandTimeout(command)) };
}

/** Objects whose variables a check sees, those of the service first. */
export const macroObjects = (object: IcingaObject, host: IcingaObject): readonly IcingaMacroObject[] =>
  object === host
    ? [{ as: "host", object: host }]
    : [
        { as: "service", object },
        { as: "host", object: host },
      ];

/** Checks that the agent performs itself with the same result; undefined for all others. */
function nativeCheck(name: string, objects: readonly IcingaMacroObject[]): CueObject | undefined {
  const variables = builtInVariables(name);
  const set = objects.flatMap(({ object }) => customVars(object).keys()).filter((key) => variables.has(key));
  const only = (known: readonly string[]): boolean => set.every((each) => known.includes(each));
  const value = (macro: string): string | undefined => knownValue(macro, objects);
  const address = (variable: string): string | undefined => value(variable) ?? value("check_address");
  switch (name) {
    case "hostalive":
    case "hostalive4":
    case "hostalive6": {
      const host = value("ping_address") ?? (name === "hostalive6" ? value("address6") : value("check_address"));
      return only(["ping_address"]) && host !== undefined ? { type: "icmp", host } : undefined;
    }
    case "tcp": {
      const [host, port] = [address("tcp_address"), value("tcp_port")];
      const isPlain = only(["tcp_address", "tcp_port"]) && host !== undefined && port !== undefined;
      return isPlain ? { type: "tcp", address: `${bracketed(host)}:${port}` } : undefined;
    }
    case "http": {
      const host = address("http_address");
      if (!only(["http_address", "http_port", "http_uri"]) || host === undefined) return undefined;
      const [port, uri] = [value("http_port"), value("http_uri") ?? "/"];
      const url = `http://${bracketed(host)}${port === undefined ? "" : `:${port}`}${uri.startsWith("/") ? "" : "/"}${uri}`;
      return URL.canParse(url) ? { type: "http", url } : undefined;
    }
    case "dns": {
      const [server, lookup] = [value("dns_server"), value("dns_lookup") ?? value("host.name")];
      const isPlain = only(["dns_server", "dns_lookup"]) && server !== undefined && lookup !== undefined;
      return isPlain ? { type: "dns", server: `${bracketed(server)}:53`, name: lookup } : undefined;
    }
    case "snmp":
      return only(snmpVariables) ? snmpCheck(value, address("snmp_address")) : undefined;
    default:
      return undefined;
  }
}

const snmpVariables = [
  ...["snmp_address", "snmp_oid", "snmp_community", "snmp_warn", "snmp_crit", "snmp_label", "snmp_units"],
  ...["snmp_version", "snmp_port"],
];

/** Check of version 2c; the others are left to the plugin. */
function snmpCheck(value: (macro: string) => string | undefined, host: string | undefined): CueObject | undefined {
  const oid = value("snmp_oid");
  if (host === undefined || oid === undefined || !/^\.?\d[\d.]*$/.test(oid) || value("snmp_version") !== "2c")
    return undefined;
  const [warn, crit, label, uom] = ["snmp_warn", "snmp_crit", "snmp_label", "snmp_units"].map(value);
  const fields = Object.entries({ warn, crit, label, uom }).filter(([, each]) => each !== undefined);
  const address = `${bracketed(host)}:${value("snmp_port") ?? "161"}`;
  return { type: "snmp", address, oid, community: value("snmp_community") ?? "public", ...Object.fromEntries(fields) };
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Value of a macro when it is known before the run time and has nothing that a document would expand. */
function knownValue(macro: string, objects: readonly IcingaMacroObject[]): string | undefined {
  const resolved = resolveMacros(`$${macro}$`, { objects, command: new IcingaDictionary() });
  return resolved.kind === "text" && !resolved.text.includes("$") && resolved.text !== "" ? resolved.text : undefined;
}
