import { type CueObject, filledFields, groupLabel, SharedParts } from "../../import/imported-document.ts";
import { IcingaDictionary, IcingaUnknown, icingaText, isIcingaList } from "../dsl/values.ts";
import {
  attributeSwitch,
  attributeText,
  customVars,
  type IcingaConfiguration,
  type IcingaObject,
  shortName,
} from "../icinga-object.ts";
import { groupsOf } from "../resolve-objects.ts";
import { type IcingaChecks, macroObjects } from "./checks.ts";
import { buildCommandLine } from "./command-line.ts";
import type { IcingaCommandTemplates } from "./command-templates.ts";
import { variableName } from "./macros.ts";
import type { IcingaPolicies } from "./policies.ts";

/** Reasons why attributes have no counterpart, by the names of the attributes. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  icon_image: "the dashboard has no icons",
  icon_image_alt: "the dashboard has no icons",
  volatile: "a problem that repeats is notified after renotify_interval",
};

/** Attributes that are kept as variables. */
const texts = ["display_name", "notes", "notes_url", "action_url"];

const groupKinds = { HostGroup: "hostgroup", ServiceGroup: "servicegroup" } as const;

type IcingaHostParts = {
  readonly checks: IcingaChecks;
  readonly policies: IcingaPolicies;
  readonly templates: IcingaCommandTemplates;
};

/** Converts hosts and services, with their event handlers. */
export class IcingaHosts {
  readonly hosts: Record<string, CueObject> = {};
  readonly #handlers = new SharedParts();
  /** The object that a reference (`host` or `host!service`) came from. */
  readonly origins = new Map<string, IcingaObject>();
  readonly #configuration: IcingaConfiguration;
  readonly #parts: IcingaHostParts;

  constructor(configuration: IcingaConfiguration, parts: IcingaHostParts) {
    this.#configuration = configuration;
    this.#parts = parts;
    for (const host of configuration.ofType("Host")) this.#addHost(host);
    for (const service of configuration.ofType("Service")) this.#addService(service);
  }

  get handlers(): CueObject {
    return this.#handlers.parts;
  }

  /** Part of the document of an object; undefined where it was left out. */
  find(ref: string): CueObject | undefined {
    const object = this.origins.get(ref);
    if (object === undefined) return undefined;
    if (object.type === "Host") return this.hosts[ref];
    const services = this.hosts[attributeText(object, "host_name") ?? ""]?.["services"] as Record<string, CueObject>;
    return services?.[shortName(object)];
  }

  /** Adds a label to an object that is in the document. */
  label(ref: string, name: string): boolean {
    const part = this.find(ref);
    if (part !== undefined) part["labels"] = { ...(part["labels"] as object | undefined), [name]: "yes" };
    return part !== undefined;
  }

  #addHost(host: IcingaObject): void {
    const { name } = host;
    const check = this.#parts.checks.convert(host, host) ?? {
      ...{ type: "passive", freshness_threshold: "8760h" },
      flap: { enabled: false },
    };
    const hasAddress = ["address", "address6"].some((each) => attributeText(host, each) !== undefined);
    if (!hasAddress) this.#configuration.approximated(host, "without an address its name is its address");
    const address = attributeText(host, "address") ?? attributeText(host, "address6") ?? name;
    this.origins.set(name, host);
    this.hosts[name] = { address, ...this.#common(host, host, "HostGroup"), check, services: {} };
    this.#remarkLosses(host);
  }

  #addService(service: IcingaObject): void {
    const hostName = attributeText(service, "host_name") ?? "";
    const host = this.#configuration.find("Host", hostName);
    const services = this.hosts[hostName]?.["services"] as CueObject | undefined;
    if (host === undefined || services === undefined)
      return this.#configuration.unsupported(service, `its host ${JSON.stringify(hostName)} is not declared`);
    const check = this.#parts.checks.convert(service, host);
    if (check === undefined) return;
    this.origins.set(service.name, service);
    services[shortName(service)] = { ...this.#common(service, host, "ServiceGroup"), check };
    this.#remarkLosses(service);
  }

  /** Fields that hosts and services share. */
  #common(object: IcingaObject, host: IcingaObject, groupType: "HostGroup" | "ServiceGroup"): CueObject {
    const vars = this.#varsOf(object);
    const groups = groupsOf(object, (name) => this.#configuration.find(groupType, name));
    const labels = Object.fromEntries(groups.map((group) => [groupLabel(groupKinds[groupType], group), "yes"]));
    const isNotified = attributeSwitch(object, "enable_notifications", true);
    const policy = isNotified ? this.#parts.policies.policyOf(object) : undefined;
    const zone = this.#zoneOf(object);
    const handler = this.#handlerOf(object, host);
    const isHandlerOff = handler !== undefined && !attributeSwitch(object, "enable_event_handler", true);
    const handlerEnabled = isHandlerOff ? false : undefined;
    return filledFields({ labels, vars, notification: policy, zone, handler, handler_enabled: handlerEnabled });
  }

  /** Zone whose workers execute the check. */
  #zoneOf(object: IcingaObject): string | undefined {
    const attribute = ["command_endpoint", "zone"].find((name) => attributeText(object, name) !== undefined);
    const name = attribute === undefined ? "" : (attributeText(object, attribute) ?? "");
    if (attribute === undefined || name === "master") return undefined;
    const zone = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
    const why = `its check is executed in the zone ${zone}: start a worker for it, or remove the field zone`;
    this.#configuration.approximated(object, why, attribute);
    return zone;
  }

  #handlerOf(object: IcingaObject, host: IcingaObject): string | undefined {
    const name = attributeText(object, "event_command");
    if (name === undefined) return undefined;
    const command = this.#configuration.find("EventCommand", name);
    const line = command === undefined ? undefined : buildCommandLine(command, macroObjects(object, host));
    if (command === undefined || !line?.ok) {
      const why = line === undefined || line.ok ? "it is not declared" : line.error;
      this.#configuration.unsupported(object, `event_command ${name} is left out: ${why}`, "event_command");
      return undefined;
    }
    this.#configuration.converted(command);
    return this.#handlers.nameOf(name, { type: "command", ...this.#parts.templates.use(name, line.value) });
  }

  #varsOf(object: IcingaObject): Record<string, string> {
    const vars: Record<string, string> = {};
    for (const name of texts) {
      const text = attributeText(object, name);
      if (text === undefined || text === shortName(object)) continue;
      vars[name.toUpperCase()] = text;
      this.#configuration.approximated(object, `${name} is kept as a variable`, name);
    }
    const address6 = attributeText(object, "address6");
    if (address6 !== undefined) vars["ADDRESS6"] = address6;
    const own = customVars(object);
    for (const [name, value] of own.entries()) {
      const key = variableName(name);
      const remark = (outcome: "approximated" | "unsupported", why: string): void =>
        this.#configuration.report.add({
          source: own.sourceOf(name) ?? object.source,
          ...{ kind: object.type, name: object.name, outcome, why: `vars.${name} ${why}` },
        });
      if (value === null) continue;
      if (value instanceof IcingaUnknown) remark("unsupported", `is left out: ${value.why}`);
      else if (!/^[A-Z]/.test(key)) remark("unsupported", "is left out: it is not a variable name");
      else {
        if (value instanceof IcingaDictionary) remark("approximated", "is kept as JSON text");
        else if (isIcingaList(value)) remark("approximated", "is kept as a text with commas");
        if (Object.hasOwn(vars, key)) remark("approximated", `replaces another variable that is called ${key} too`);
        vars[key] = icingaText(value);
      }
    }
    return vars;
  }

  #remarkLosses(object: IcingaObject): void {
    this.#configuration.converted(object);
    for (const [name, why] of Object.entries(withoutCounterpart))
      if (attributeSwitch(object, name, false))
        this.#configuration.unsupported(object, `${name} is left out: ${why}`, name);
    if (!attributeSwitch(object, "enable_passive_checks", true))
      this.#configuration.approximated(object, "passive results are accepted", "enable_passive_checks");
    for (const [name, value] of object.attributes.entries())
      if (value instanceof IcingaUnknown)
        this.#configuration.unsupported(object, `${name} is left out: ${value.why}`, name);
  }
}

/** Converts groups to views of the same names. */
export function convertIcingaGroups(configuration: IcingaConfiguration): CueObject {
  const views: CueObject = {};
  for (const type of ["HostGroup", "ServiceGroup"] as const)
    for (const group of configuration.ofType(type)) {
      views[group.name] = {
        selector: groupLabel(groupKinds[type], group.name),
        description: attributeText(group, "display_name") ?? "",
      };
      configuration.converted(group);
    }
  return views;
}
