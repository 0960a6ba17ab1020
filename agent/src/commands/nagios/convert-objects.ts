import { type CueObject, groupLabel } from "../import/imported-document.ts";
import { convertCheck, splitCommand } from "./convert-checks.ts";
import type { NagiosEscalation, NagiosPolicies } from "./convert-policies.ts";
import {
  attributeValue,
  isAttributeOn,
  type NagiosConfiguration,
  nagiosNameOf,
  selectNames,
  variablesOf,
} from "./nagios-configuration.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

type GroupMembers = ReadonlyMap<string, ReadonlySet<string>>;

/** Reasons why attributes have no counterpart, by the names of the attributes. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  icon_image: "the dashboard has no icons",
  icon_image_alt: "the dashboard has no icons",
  statusmap_image: "the dashboard has no map",
  vrml_image: "the dashboard has no map",
  "2d_coords": "the dashboard has no map",
  "3d_coords": "the dashboard has no map",
  initial_state: "an object is PENDING until its first result",
  is_volatile: "a problem that repeats is notified after renotify_interval",
  stalking_options: "every change of the output is in the log of a sink of events",
};

/** Attributes that are kept as variables. */
const texts = ["alias", "display_name", "notes", "notes_url", "action_url"];

/** Converts hosts and services, with their policies and handlers. */
export class NagiosObjects {
  readonly hosts: Record<string, CueObject> = {};
  readonly handlers: CueObject = {};
  /** The object that a reference (`host` or `host!service`) came from. */
  readonly origins = new Map<string, NagiosObject>();
  readonly #configuration: NagiosConfiguration;
  readonly #policies: NagiosPolicies;
  readonly #groups: GroupMembers;
  readonly #escalations: ReadonlyMap<string, readonly NagiosEscalation[]>;

  constructor(configuration: NagiosConfiguration, policies: NagiosPolicies, groups: GroupMembers) {
    this.#configuration = configuration;
    this.#policies = policies;
    this.#groups = groups;
    this.#escalations = this.#readEscalations();
    for (const host of configuration.ofType("host")) this.#addHost(host);
    for (const service of configuration.ofType("service")) this.#addService(service);
    this.#labelServiceGroups();
  }

  /** Hosts that an object names. */
  hostsOf(object: NagiosObject, prefix = ""): readonly string[] {
    const names = attributeValue(object, `${prefix}host_name`) ?? attributeValue(object, `${prefix}host`);
    const groups = attributeValue(object, `${prefix}hostgroup_name`) ?? attributeValue(object, `${prefix}hostgroup`);
    return selectNames({ names, groups }, this.#hostNames(), this.#groups);
  }

  #hostNames(): readonly string[] {
    return this.#configuration.ofType("host").map(nagiosNameOf);
  }

  #readEscalations(): ReadonlyMap<string, readonly NagiosEscalation[]> {
    const found = new Map<string, NagiosEscalation[]>();
    for (const type of ["hostescalation", "serviceescalation"])
      for (const object of this.#configuration.ofType(type)) {
        const first = Number(attributeValue(object, "first_notification") ?? 1);
        const last = Number(attributeValue(object, "last_notification") ?? 0);
        for (const host of this.hostsOf(object)) {
          const services = splitList(attributeValue(object, "service_description"));
          for (const service of type === "hostescalation" ? [""] : services) {
            const ref = service === "" ? host : `${host}!${service}`;
            found.set(ref, [...(found.get(ref) ?? []), { object, first, last }]);
          }
        }
        if (
          attributeValue(object, "escalation_options") !== undefined ||
          attributeValue(object, "escalation_period") !== undefined
        )
          this.#configuration.remark(
            object,
            "approximated",
            "an escalation applies to all statuses and at all times",
            attributeValue(object, "escalation_period") === undefined ? "escalation_options" : "escalation_period",
          );
        else this.#configuration.remark(object, "converted", "");
      }
    return found;
  }

  #addHost(host: NagiosObject): void {
    const name = nagiosNameOf(host);
    const parents = splitList(attributeValue(host, "parents"));
    const labels = this.#labelsOf(name);
    const vars = variablesOf(host, texts);
    this.hosts[name] = {
      address: attributeValue(host, "address") ?? name,
      ...(parents.length > 0 ? { parents } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(vars).length > 0 ? { vars } : {}),
      check: convertCheck(this.#configuration, host, "host"),
      ...this.#common(host, "host", name),
      services: {},
    };
    this.origins.set(name, host);
    this.#remarkLosses(host);
  }

  #addService(service: NagiosObject): void {
    const hosts = this.hostsOf(service);
    const name = attributeValue(service, "service_description") ?? "";
    if (hosts.length === 0) this.#configuration.remark(service, "unsupported", "it names no host");
    for (const host of hosts) {
      const services = this.hosts[host]?.["services"] as CueObject | undefined;
      if (services === undefined) {
        this.#configuration.remark(service, "unsupported", `its host ${JSON.stringify(host)} is not defined`);
        continue;
      }
      const ref = `${host}!${name}`;
      const inheriting = withHostSettings(service, this.origins.get(host));
      const vars = variablesOf(service, texts);
      services[name] = {
        ...(Object.keys(vars).length > 0 ? { vars } : {}),
        check: convertCheck(this.#configuration, service, "service"),
        ...this.#common(inheriting, "service", ref),
      };
      this.origins.set(ref, service);
    }
    this.#remarkLosses(service);
  }

  /** Policy and event handler. */
  #common(object: NagiosObject, kind: "host" | "service", ref: string): CueObject {
    const notifies =
      isAttributeOn(object, "notifications_enabled", true) &&
      !splitList(attributeValue(object, "notification_options")).includes("n");
    const policy = notifies ? this.#policies.policyOf(object, kind, this.#escalations.get(ref) ?? []) : undefined;
    const handler = attributeValue(object, "event_handler");
    if (handler !== undefined) {
      const { command, args } = splitCommand(handler);
      this.handlers[handler] = { type: "command", command, ...(args.length > 0 ? { args } : {}) };
    }
    return {
      ...(policy === undefined ? {} : { notification: policy }),
      ...(handler === undefined ? {} : { handler }),
      ...(handler !== undefined && !isAttributeOn(object, "event_handler_enabled", true)
        ? { handler_enabled: false }
        : {}),
    };
  }

  #labelsOf(host: string): Record<string, string> {
    const labels: Record<string, string> = {};
    for (const [group, members] of this.#groups) if (members.has(host)) labels[groupLabel("hostgroup", group)] = "yes";
    return labels;
  }

  #labelServiceGroups(): void {
    for (const group of this.#configuration.ofType("servicegroup")) {
      const parts = splitList(attributeValue(group, "members"));
      for (let at = 0; at + 1 < parts.length; at += 2)
        this.#label(`${parts[at]}!${parts[at + 1]}`, nagiosNameOf(group));
      this.#configuration.remark(group, "converted", "");
    }
    for (const [ref, object] of this.origins)
      if (ref.includes("!"))
        for (const group of splitList(attributeValue(object, "servicegroups"))) this.#label(ref, group);
  }

  #label(ref: string, group: string): void {
    const [host = "", service = ""] = ref.split("!");
    const services = this.hosts[host]?.["services"] as Record<string, CueObject> | undefined;
    const object = services?.[service];
    if (object !== undefined)
      object["labels"] = { ...(object["labels"] as object), [groupLabel("servicegroup", group)]: "yes" };
  }

  #remarkLosses(object: NagiosObject): void {
    this.#configuration.remark(object, "converted", "");
    for (const [name, why] of Object.entries(withoutCounterpart))
      if (
        attributeValue(object, name) !== undefined &&
        attributeValue(object, name) !== "0" &&
        attributeValue(object, name) !== "n"
      )
        this.#configuration.remark(object, "unsupported", `${name} is left out: ${why}`, name);
    for (const name of object.attributes.keys())
      if (name.startsWith("_") && !/^_[A-Za-z][A-Za-z0-9_]*$/.test(name))
        this.#configuration.remark(object, "unsupported", `${name} is not a variable name`, name);
    for (const name of texts)
      if (
        attributeValue(object, name) !== undefined &&
        attributeValue(object, name) !== nagiosNameOf(object) &&
        name !== "alias"
      )
        this.#configuration.remark(object, "approximated", `${name} is kept as a variable`, name);
  }
}

/** A service with the settings of notifications that it takes over from its host where it has none of its own. */
function withHostSettings(service: NagiosObject, host: NagiosObject | undefined): NagiosObject {
  const attributes = new Map(service.attributes);
  const inherit = (name: string): void => {
    const value = host?.attributes.get(name);
    if (value !== undefined && !attributes.has(name)) attributes.set(name, value);
  };
  if (!attributes.has("contacts") && !attributes.has("contact_groups")) for (const name of contactLists) inherit(name);
  inherit("notification_interval");
  inherit("notification_period");
  return { ...service, attributes };
}

const contactLists = ["contacts", "contact_groups"];

/** Converts groups to views of the same names. */
export function convertGroups(configuration: NagiosConfiguration): CueObject {
  const views: CueObject = {};
  for (const kind of ["hostgroup", "servicegroup"] as const)
    for (const group of configuration.ofType(kind)) {
      const name = attributeValue(group, `${kind}_name`) ?? "";
      views[name] = { selector: groupLabel(kind, name), description: attributeValue(group, "alias") ?? "" };
      configuration.remark(group, "converted", "");
    }
  return views;
}
