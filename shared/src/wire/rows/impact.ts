import { ImpactSchema, StatusCountSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { Impact } from "../../model/row.ts";
import { enumField, objectKindCodec, statusCodec } from "../fields/enums.ts";
import { listField, numberField } from "../fields/field-codec.ts";
import { messageCodec } from "../fields/message-codec.ts";

const statusCountCodec = messageCodec<Impact["counts"][number], typeof StatusCountSchema>(StatusCountSchema, {
  kind: ["kind", enumField(objectKindCodec, "host")],
  status: ["status", enumField(statusCodec, "pending")],
  count: ["count", numberField],
});

export const impactCodec = messageCodec<Impact, typeof ImpactSchema>(ImpactSchema, {
  counts: ["counts", listField(statusCountCodec)],
});
