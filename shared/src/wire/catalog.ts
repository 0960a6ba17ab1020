import type {
  Contact as ProtoContact,
  Panel as ProtoPanel,
  Sink as ProtoSink,
  View as ProtoView,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmCatalog, SloSummary } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog, ContactView, PanelView, SavedView, SinkView, SloView } from "../model/catalog.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, type Result } from "../model/result.ts";
import { type FieldReader, fieldReader } from "./fields/field-reader.ts";
import { durationFromProto, durationToProto, timestampFromProto, timestampToProto } from "./fields/time.ts";
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
  queued: contact.queued,
  failingSince: timestampToProto(contact.failingSinceMs),
  lastError: contact.lastError,
  lastDelivered: timestampToProto(contact.lastDeliveredAtMs),
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
  queued: BigInt(sink.progress?.queued ?? 0),
  lag: durationToProto(sink.progress?.lagMs),
  failingSince: timestampToProto(sink.progress?.failingSinceMs),
  lastError: sink.progress?.lastError ?? "",
  lastDelivered: timestampToProto(sink.progress?.lastDeliveredMs),
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

/** Converts a whole catalog to a message. */
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
  parts: 0,
});

/** Converts a message to a catalog; `malformed` when a sink's input is an unknown one of a newer release. */
export function catalogFromProto(message: RealmCatalog): Result<Catalog, Refusal> {
  const unknown = message.sinks.find((sink) => sink.input !== "metrics" && sink.input !== "events");
  if (unknown) return fail({ kind: "malformed", field: "sinks.input", why: `is ${JSON.stringify(unknown.input)}` });
  const reader = fieldReader();
  return reader.finish({
    realm: message.realm,
    contacts: message.contacts.map((contact) => contactFromProto(reader, contact)),
    views: message.views.map(({ name, selector, description }) => ({ name, selector, description })),
    sinks: message.sinks.map((sink) => sinkFromProto(reader, sink)),
    panels: message.panels.map(({ name, title, unit, selector }) => ({ name, title, unit, selector })),
    slos: message.slos.map(({ name, selector, target, period }) => ({ name, selector, target, period })),
    toggles: togglesFromProto(message.toggles),
  });
}

const contactFromProto = (reader: FieldReader, proto: ProtoContact): ContactView => ({
  name: proto.name,
  type: proto.type,
  labels: proto.labels,
  notificationPeriod: proto.notificationPeriod,
  notificationsEnabled: proto.notificationsEnabled ?? true,
  queued: proto.queued,
  failingSinceMs: reader.take(timestampFromProto("contacts.failingSince", proto.failingSince), undefined),
  lastError: proto.lastError,
  lastDeliveredAtMs: reader.take(timestampFromProto("contacts.lastDelivered", proto.lastDelivered), undefined),
});

const sinkFromProto = (reader: FieldReader, proto: ProtoSink): SinkView => ({
  name: proto.name,
  type: proto.type,
  input: proto.input === "events" ? "events" : "metrics",
  selector: proto.selector,
  // Absent in the catalogs of an agent without it, and before the sink has started.
  ...(proto.lag && {
    progress: {
      queued: Number(proto.queued),
      lagMs: reader.take(durationFromProto("sinks.lag", proto.lag), undefined) ?? 0,
      failingSinceMs: reader.take(timestampFromProto("sinks.failingSince", proto.failingSince), undefined),
      lastError: proto.lastError,
      lastDeliveredMs: reader.take(timestampFromProto("sinks.lastDelivered", proto.lastDelivered), undefined),
    },
  }),
});
