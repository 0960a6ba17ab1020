import { PerfPointSchema } from "@realmwatch/proto/svc/v1/common_pb";
import type { PerfPoint } from "../../model/perfdata.ts";
import { finiteField, textField } from "../fields/field-codec.ts";
import { messageCodec } from "../fields/message-codec.ts";

export const perfPointCodec = messageCodec<PerfPoint, typeof PerfPointSchema>(PerfPointSchema, {
  label: ["label", textField],
  value: ["value", finiteField],
  uom: ["uom", textField],
  warn: ["warn", textField],
  crit: ["crit", textField],
  min: ["min", finiteField],
  max: ["max", finiteField],
});
