import { refOf } from "../../model/object-key.ts";
import type { Labels } from "../../model/row.ts";
import type { Status } from "../../model/status.ts";
import type { SelectorSubject } from "../../text/selector/selector.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import type { HostDocument } from "../schema/host.ts";
import type { ServiceDocument } from "../schema/service.ts";

/** Labels of a service: those of its host, overridden by its own. */
export const serviceLabels = (host: Pick<HostDocument, "labels">, service: Pick<ServiceDocument, "labels">): Labels =>
  Object.keys(service.labels).length === 0 ? host.labels : { ...host.labels, ...service.labels };

/** Zone of a service; default: the zone of its host. */
export const serviceZone = (host: Pick<HostDocument, "zone">, service: Pick<ServiceDocument, "zone">): string =>
  service.zone || host.zone;

/** Objects of a document as selectors see them: hosts, then services, then processes. */
export function selectorSubjects(document: RealmDocument, realm: string): ReadonlyMap<string, SelectorSubject> {
  const subjects = new Map<string, SelectorSubject>();
  // Documents may have 100 000 objects: literals of the same properties are made faster than spread ones.
  const [status, cause, dependsOn, parents]: [Status, string, readonly string[], readonly string[]] = [
    "pending",
    "",
    [],
    [],
  ];
  for (const [name, { labels, zone, check, parents }] of document.hosts) {
    const checkType = check?.type ?? "";
    const key = { kind: "host", name } as const;
    subjects.set(refOf(key), { key, labels, zone, realm, checkType, status, cause, parents, dependsOn });
  }
  for (const [host, about] of document.hosts)
    for (const [name, service] of about.services) {
      const key = { kind: "service", host, name } as const;
      const [labels, zone, checkType] = [
        serviceLabels(about, service),
        serviceZone(about, service),
        service.check?.type ?? "",
      ];
      subjects.set(refOf(key), { key, labels, zone, realm, checkType, status, cause, parents, dependsOn });
    }
  for (const [name, { labels }] of document.processes) {
    const key = { kind: "process", name } as const;
    subjects.set(refOf(key), { key, labels, zone: "", realm, checkType: "", status, cause, parents, dependsOn });
  }
  return subjects;
}
