import {
  ContactSchema,
  PanelSchema,
  type Sink as ProtoSink,
  RemainingRecipientsSchema,
  UncoveredPolicySchema,
  ViewSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { type RealmCatalog, SloSummarySchema } from "@realmwatch/proto/svc/v1/state_pb";
import type {
  Catalog,
  ContactView,
  PanelView,
  RemainingRecipients,
  SelectorView,
  SinkView,
  SloView,
  UncoveredPolicy,
} from "../model/catalog.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import {
  durationField,
  type FieldCodec,
  flagField,
  labelMapField,
  listField,
  markField,
  numberField,
  optionalField,
  optionalInstantField,
  textField,
  textsField,
} from "./fields/field-codec.ts";
import { type FieldReader, fieldReader } from "./fields/field-reader.ts";
import { messageCodec } from "./fields/message-codec.ts";
import { durationToProto, timestampToProto } from "./fields/time.ts";
import { togglesCodec, togglesFromProto } from "./toggles.ts";

/** Version of a catalog and time of its publication. `atMs`: Unix ms. */
export type CatalogStamp = {
  readonly realm: string;
  readonly epoch: number;
  readonly revision: number;
  readonly atMs: number;
};

const uncoveredPolicyCodec = messageCodec<UncoveredPolicy, typeof UncoveredPolicySchema>(UncoveredPolicySchema, {
  policy: ["policy", textField],
  level: ["level", numberField],
  objects: ["objects", numberField],
});

const remainingCodec = messageCodec<RemainingRecipients, typeof RemainingRecipientsSchema>(RemainingRecipientsSchema, {
  uncovered: ["uncovered", listField(uncoveredPolicyCodec)],
  uncoveredPolicies: ["uncoveredPolicies", numberField],
  uncoveredObjects: ["uncoveredObjects", numberField],
  others: ["others", textsField],
});

export const contactCodec = messageCodec<ContactView, typeof ContactSchema>(ContactSchema, {
  name: ["name", textField],
  type: ["type", textField],
  labels: ["labels", labelMapField],
  notificationPeriod: ["notificationPeriod", textField],
  notificationsEnabled: ["notificationsEnabled", flagField(true)],
  queued: ["queued", numberField],
  failingSinceMs: ["failingSince", optionalInstantField],
  lastError: ["lastError", textField],
  lastDeliveredAtMs: ["lastDelivered", optionalInstantField],
  mutedBy: ["mutedBy", textField],
  onBehalfOf: ["onBehalfOf", textField],
  mutedComment: ["mutedComment", textField],
  mutedAtMs: ["mutedAt", optionalInstantField],
  mutedUntilMs: ["mutedUntil", optionalInstantField],
  remaining: ["remaining", optionalField(remainingCodec)],
});

export const viewCodec = messageCodec<SelectorView, typeof ViewSchema>(ViewSchema, {
  name: ["name", textField],
  selector: ["selector", textField],
  description: ["description", textField],
  saved: ["saved", markField],
  author: ["author", textField],
});

export const panelCodec = messageCodec<PanelView, typeof PanelSchema>(PanelSchema, {
  name: ["name", textField],
  title: ["title", textField],
  unit: ["unit", textField],
  selector: ["selector", textField],
});

const sloCodec = messageCodec<SloView, typeof SloSummarySchema>(SloSummarySchema, {
  name: ["name", textField],
  selector: ["selector", textField],
  target: ["target", numberField],
  period: ["period", textField],
});

/** Messages of a catalog's entries, which have the name of their realm. */
export const entriesOfRealm = <Entry, Proto extends { realm: string }>(
  { toProto }: FieldCodec<Entry, Proto>,
  entries: readonly Entry[],
  realm: string,
): Proto[] => entries.map((entry) => ({ ...toProto(entry), realm }));

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

/** Converts a whole catalog to a message. */
export const catalogToProto = (catalog: Catalog, stamp: CatalogStamp): RealmCatalog => ({
  $typeName: "svc.v1.RealmCatalog",
  realm: stamp.realm,
  epoch: BigInt(stamp.epoch),
  revision: BigInt(stamp.revision),
  contacts: entriesOfRealm(contactCodec, catalog.contacts, stamp.realm),
  views: entriesOfRealm(viewCodec, catalog.views, stamp.realm),
  sinks: catalog.sinks.map((sink) => sinkToProto(sink, stamp.realm)),
  panels: entriesOfRealm(panelCodec, catalog.panels, stamp.realm),
  slos: catalog.slos.map(sloCodec.toProto),
  toggles: togglesCodec.toProto(catalog.toggles),
  at: timestampToProto(stamp.atMs),
  parts: 0,
});

/** Converts a message to a catalog; `malformed` when a sink's input is an unknown one of a newer release. */
export function catalogFromProto(message: RealmCatalog): Result<Catalog, Refusal> {
  const unknown = message.sinks.find((sink) => sink.input !== "metrics" && sink.input !== "events");
  if (unknown) return malformed("sinks.input", `is ${JSON.stringify(unknown.input)}`);
  const reader = fieldReader();
  return reader.finish({
    realm: message.realm,
    contacts: listField(contactCodec).fromProto(message.contacts, reader, "contacts"),
    views: listField(viewCodec).fromProto(message.views, reader, "views"),
    sinks: message.sinks.map((sink) => sinkFromProto(reader, sink)),
    panels: listField(panelCodec).fromProto(message.panels, reader, "panels"),
    slos: listField(sloCodec).fromProto(message.slos, reader, "slos"),
    toggles: togglesFromProto(message.toggles),
  });
}

const sinkFromProto = (reader: FieldReader, proto: ProtoSink): SinkView => ({
  name: proto.name,
  type: proto.type,
  input: proto.input === "events" ? "events" : "metrics",
  selector: proto.selector,
  // Absent in the catalogs of an agent without it, and before the sink has started.
  ...(proto.lag && {
    progress: {
      queued: Number(proto.queued),
      lagMs: durationField.fromProto(proto.lag, reader, "sinks.lag"),
      failingSinceMs: optionalInstantField.fromProto(proto.failingSince, reader, "sinks.failingSince"),
      lastError: proto.lastError,
      lastDeliveredMs: optionalInstantField.fromProto(proto.lastDelivered, reader, "sinks.lastDelivered"),
    },
  }),
});
