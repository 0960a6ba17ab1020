import { type ObjectKey, refOf } from "../../model/object-key.ts";
import type { Labels } from "../../model/row.ts";
import type { SelectorSubject } from "../../text/selector/selector.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import type { HostDocument } from "../schema/host.ts";
import type { ServiceDocument } from "../schema/service.ts";

/** Labels of a service: those of its host, overridden by its own. */
export const serviceLabels = (host: HostDocument, service: ServiceDocument): Labels =>
  Object.keys(service.labels).length === 0 ? host.labels : { ...host.labels, ...service.labels };

/** Zone of a service; default: the zone of its host. */
export const serviceZone = (host: HostDocument, service: ServiceDocument): string => service.zone || host.zone;

/** Objects of a document as selectors see them: hosts, then services, then processes. */
export function selectorSubjects(document: RealmDocument, realm: string): ReadonlyMap<string, SelectorSubject> {
  const subjects = new Map<string, SelectorSubject>();
  const add = (
    key: ObjectKey,
    rest: Omit<SelectorSubject, "key" | "realm" | "status" | "cause" | "dependsOn">,
  ): void => {
    subjects.set(refOf(key), { key, realm, status: "pending", cause: "", dependsOn: [], ...rest });
  };
  for (const [name, { labels, zone, check, parents }] of document.hosts)
    add({ kind: "host", name }, { labels, zone, checkType: check?.type ?? "", parents });
  for (const [host, about] of document.hosts)
    for (const [name, service] of about.services)
      add(
        { kind: "service", host, name },
        {
          labels: serviceLabels(about, service),
          zone: serviceZone(about, service),
          checkType: service.check?.type ?? "",
          parents: [],
        },
      );
  for (const [name, { labels }] of document.processes)
    add({ kind: "process", name }, { labels, zone: "", checkType: "", parents: [] });
  return subjects;
}
