import { type Because, BecauseSchema } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type NotificationDelivery,
  NotificationDeliverySchema,
  NotificationProgressSchema,
  WaitingForSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import {
  type DeliveryProgress,
  type NotificationDecision,
  type NotificationReason,
  notificationReasons,
} from "../../model/notification.ts";
import type { NotificationProgress, WaitingFor } from "../../model/row.ts";
import { deliveryStateCodec, enumField, notificationKindCodec } from "../fields/enums.ts";
import {
  absentField,
  type FieldCodec,
  instantField,
  markField,
  numberField,
  optionalField,
  optionalInstantField,
  textField,
} from "../fields/field-codec.ts";
import { messageCodec } from "../fields/message-codec.ts";

const reasons: ReadonlySet<string> = new Set(notificationReasons);
const isReason = (reason: string): reason is NotificationReason => reasons.has(reason);

const readableDecision = messageCodec<Omit<NotificationDecision, "reason"> & { reason: string }, typeof BecauseSchema>(
  BecauseSchema,
  { reason: ["reason", textField], name: ["name", textField], untilMs: ["until", optionalInstantField] },
);

/** An unknown reason of a newer release becomes undefined, since it is informational only. */
export const notificationDecisionCodec: FieldCodec<NotificationDecision | undefined, Because | undefined> = {
  blank: undefined,
  toProto: (because) => because && readableDecision.toProto(because),
  fromProto(proto, reader, field) {
    if (proto === undefined) return undefined;
    const { reason, ...decision } = readableDecision.fromProto(proto, reader, field);
    return isReason(reason) ? { reason, ...decision } : undefined;
  },
};

const deliveryCodec = messageCodec<DeliveryProgress, typeof NotificationDeliverySchema>(NotificationDeliverySchema, {
  contact: ["contact", textField],
  kind: ["kind", enumField(notificationKindCodec, "PROBLEM")],
  state: ["state", enumField(deliveryStateCodec, "queued")],
  sinceMs: ["since", instantField],
  attempts: ["attempts", numberField],
  error: ["error", textField],
  possibleDuplicate: ["possibleDuplicate", absentField(markField)],
});

/** Leaves out a delivery whose kind or state is one of a newer release. */
const deliveriesCodec: FieldCodec<readonly DeliveryProgress[], NotificationDelivery[]> = {
  blank: [],
  toProto: (deliveries) => deliveries.map(deliveryCodec.toProto),
  fromProto: (protos, reader, field) =>
    protos.flatMap((proto, at) =>
      notificationKindCodec.fromProto(proto.kind) === undefined ||
      deliveryStateCodec.fromProto(proto.state) === undefined
        ? []
        : [markedOnly(deliveryCodec.fromProto(proto, reader, `${field}[${at}]`))],
    ),
};

/** The mark is left out, and not undefined, as the engine has it. */
const markedOnly = ({ possibleDuplicate, ...delivery }: DeliveryProgress): DeliveryProgress =>
  possibleDuplicate === true ? { ...delivery, possibleDuplicate } : delivery;

const waitingForCodec = optionalField(
  messageCodec<WaitingFor, typeof WaitingForSchema>(WaitingForSchema, {
    contact: ["contact", textField],
    failingSinceMs: ["failingSince", instantField],
  }),
);

export const notificationProgressCodec = optionalField(
  messageCodec<NotificationProgress, typeof NotificationProgressSchema>(NotificationProgressSchema, {
    level: ["level", numberField],
    sentAtLevel: ["sentAtLevel", numberField],
    lastAtMs: ["last", optionalInstantField],
    nextAtMs: ["next", optionalInstantField],
    because: ["because", notificationDecisionCodec],
    deliveries: ["deliveries", deliveriesCodec],
    waitingFor: ["waitingFor", waitingForCodec],
  }),
);
