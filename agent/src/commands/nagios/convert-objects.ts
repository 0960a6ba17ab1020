import { type CueObject, filledFields, groupLabel } from "../import/imported-document.ts";
import { commandUse, convertCheck } from "./convert-checks.ts";
import type { NagiosEscalation, NagiosPolicies } from "./convert-policies.ts";
import {
  attributeValue,
  isAttributeOn,
  type NagiosConfiguration,
  nagiosNameOf,
  variablesOf,
} from "./nagios-configuration.ts";
import type { ObjectLists } from "./object-lists.ts";
import { splitList } from "./resolve-templates.ts";
import type { NagiosObject } from "./source-objects.ts";

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
  readonly #lists: ObjectLists;
  readonly #escalations: ReadonlyMap<string, readonly NagiosEscalation[]>;

  constructor(configuration: NagiosConfiguration, policies: NagiosPolicies, lists: ObjectLists) {
    this.#configuration = configuration;
    this.#policies = policies;
    this.#lists = lists;
    this.#escalations = this.#readEscalations();
    for (const host of configuration.ofType("host")) this.#addHost(host);
    for (const [ref, service] of lists.services) this.#addService(ref, service);
    for (const service of new Set(lists.services.values())) this.#remarkLosses(service);
    this.#labelServiceGroups();
  }

  #readEscalations(): ReadonlyMap<string, readonly NagiosEscalation[]> {
    const found = new Map<string, NagiosEscalation[]>();
    for (const type of ["hostescalation", "serviceescalation"])
      for (const object of this.#configuration.ofType(type)) {
        const first = Number(attributeValue(object, "first_notification") ?? 1);
        const last = Number(attributeValue(object, "last_notification") ?? 0);
        const refs = type === "hostescalation" ? this.#lists.hostsOf(object) : this.#lists.servicesOf(object);
        if (!this.#configuration.addObjects(object, refs.length)) continue;
        if (refs.length === 0) this.#configuration.unsupported(object, "it applies to no object");
        for (const ref of refs) found.set(ref, [...(found.get(ref) ?? []), { object, first, last }]);
        const [period, options] = ["period", "options"].map((each) => attributeValue(object, `escalation_${each}`));
        const why = "an escalation applies to all statuses and at all times";
        if (period !== undefined) this.#configuration.approximated(object, why, "escalation_period");
        else if (options !== undefined) this.#configuration.approximated(object, why, "escalation_options");
        else this.#configuration.converted(object);
      }
    return found;
  }

  #addHost(host: NagiosObject): void {
    const name = nagiosNameOf(host);
    const parents = splitList(attributeValue(host, "parents"));
    this.hosts[name] = {
      address: attributeValue(host, "address") ?? name,
      ...filledFields({ parents, labels: this.#labelsOf(name), vars: variablesOf(host, texts) }),
      check: convertCheck(this.#configuration, host, "host"),
      ...this.#common(host, "host", name),
      services: {},
    };
    this.origins.set(name, host);
    this.#remarkLosses(host);
  }

  #addService(ref: string, service: NagiosObject): void {
    const name = attributeValue(service, "service_description") ?? "";
    const host = ref.slice(0, -name.length - 1);
    const services = this.hosts[host]?.["services"] as CueObject | undefined;
    if (services === undefined)
      return this.#configuration.unsupported(service, `its host ${JSON.stringify(host)} is not defined`);
    services[name] = {
      ...filledFields({ vars: variablesOf(service, texts) }),
      check: convertCheck(this.#configuration, service, "service"),
      ...this.#common(withHostSettings(service, this.origins.get(host)), "service", ref),
    };
    this.origins.set(ref, service);
  }

  /** Policy and event handler. */
  #common(object: NagiosObject, kind: "host" | "service", ref: string): CueObject {
    const notifies =
      isAttributeOn(object, "notifications_enabled", true) &&
      !splitList(attributeValue(object, "notification_options")).includes("n");
    const policy = notifies ? this.#policies.policyOf(object, kind, this.#escalations.get(ref) ?? []) : undefined;
    const handler = attributeValue(object, "event_handler");
    if (handler !== undefined) this.handlers[handler] = commandUse(handler);
    const isHandlerOff = handler !== undefined && !isAttributeOn(object, "event_handler_enabled", true);
    return filledFields({ notification: policy, handler, handler_enabled: isHandlerOff ? false : undefined });
  }

  #labelsOf(host: string): Record<string, string> {
    const labels: Record<string, string> = {};
    for (const [group, members] of this.#lists.hostGroups)
      if (members.has(host)) labels[groupLabel("hostgroup", group)] = "yes";
    return labels;
  }

  #labelServiceGroups(): void {
    for (const [group, members] of this.#lists.serviceGroups) for (const ref of members) this.#label(ref, group);
  }

  #label(ref: string, group: string): void {
    const at = ref.indexOf("!");
    const [host, service] = [ref.slice(0, at), ref.slice(at + 1)];
    const services = this.hosts[host]?.["services"] as Record<string, CueObject> | undefined;
    const object = services?.[service];
    if (object !== undefined)
      object["labels"] = { ...(object["labels"] as object), [groupLabel("servicegroup", group)]: "yes" };
  }

  #remarkLosses(object: NagiosObject): void {
    this.#configuration.converted(object);
    for (const name of texts) {
      const text = attributeValue(object, name);
      if (name !== "alias" && text !== undefined && text !== nagiosNameOf(object))
        this.#configuration.approximated(object, `${name} is kept as a variable`, name);
    }
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
      configuration.converted(group);
    }
  return views;
}
