import type {
  Contact as ProtoContact,
  Panel as ProtoPanel,
  Sink as ProtoSink,
  View as ProtoView,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmCatalog, SloSummary } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog, ContactView, PanelView, SavedView, SinkView, SloView } from "../model/catalog.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { timestampToProto } from "./fields/time.ts";
import { togglesFromProto, togglesToProto } from "./toggles.ts";

/** Version of a catalog and time of its publication. `atMs`: Unix ms. */
export type CatalogStamp = {
  readonly realm: string;
  readonly epoch: number;
  readonly revision: number;
  readonly atMs: number;
};

export const contactToProto = (contact: ContactView, realm: string): ProtoContact => ({
  $typeName: "svc.v1.Contact",
  name: contact.name,
  type: contact.type,
  labels: contact.labels,
  notificationPeriod: contact.notificationPeriod,
  notificationsEnabled: contact.notificationsEnabled,
  realm,
});

export const viewToProto = (view: SavedView, realm: string): ProtoView => ({
  $typeName: "svc.v1.View",
  name: view.name,
  selector: view.selector,
  description: view.description,
  realm,
});

export const sinkToProto = (sink: SinkView, realm: string): ProtoSink => ({
  $typeName: "svc.v1.Sink",
  name: sink.name,
  type: sink.type,
  input: sink.input,
  selector: sink.selector,
  realm,
});

export const panelToProto = (panel: PanelView, realm: string): ProtoPanel => ({
  $typeName: "svc.v1.Panel",
  name: panel.name,
  title: panel.title,
  unit: panel.unit,
  selector: panel.selector,
  realm,
});

const sloToProto = (slo: SloView): SloSummary => ({
  $typeName: "svc.v1.SloSummary",
  name: slo.name,
  selector: slo.selector,
  target: slo.target,
  period: slo.period,
});

/** Converts a catalog to the message that its realm publishes. */
export const catalogToProto = (catalog: Catalog, stamp: CatalogStamp): RealmCatalog => ({
  $typeName: "svc.v1.RealmCatalog",
  realm: stamp.realm,
  epoch: BigInt(stamp.epoch),
  revision: BigInt(stamp.revision),
  contacts: catalog.contacts.map((contact) => contactToProto(contact, stamp.realm)),
  views: catalog.views.map((view) => viewToProto(view, stamp.realm)),
  sinks: catalog.sinks.map((sink) => sinkToProto(sink, stamp.realm)),
  panels: catalog.panels.map((panel) => panelToProto(panel, stamp.realm)),
  slos: catalog.slos.map(sloToProto),
  toggles: togglesToProto(catalog.toggles),
  at: timestampToProto(stamp.atMs),
});

/** Converts a message to a catalog; `malformed` when a sink's input is an unknown one of a newer release. */
export function catalogFromProto(message: RealmCatalog): Result<Catalog, Refusal> {
  const unknown = message.sinks.find((sink) => sink.input !== "metrics" && sink.input !== "events");
  if (unknown) return fail({ kind: "malformed", field: "sinks.input", why: `is ${JSON.stringify(unknown.input)}` });
  return ok({
    realm: message.realm,
    contacts: message.contacts.map(contactFromProto),
    views: message.views.map(({ name, selector, description }) => ({ name, selector, description })),
    sinks: message.sinks.map(sinkFromProto),
    panels: message.panels.map(({ name, title, unit, selector }) => ({ name, title, unit, selector })),
    slos: message.slos.map(({ name, selector, target, period }) => ({ name, selector, target, period })),
    toggles: togglesFromProto(message.toggles),
  });
}

const contactFromProto = (proto: ProtoContact): ContactView => ({
  name: proto.name,
  type: proto.type,
  labels: proto.labels,
  notificationPeriod: proto.notificationPeriod,
  notificationsEnabled: proto.notificationsEnabled ?? true,
});

const sinkFromProto = ({ name, type, input, selector }: ProtoSink): SinkView => ({
  name,
  type,
  input: input === "events" ? "events" : "metrics",
  selector,
});
