import { toJsonString } from "@bufbuild/protobuf";
import { HistoryRecordSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { HistoryRecord } from "../model/history.ts";
import { historyRecordToProto } from "./history.ts";

/** Text of a record as one line of JSON, with the field names and values of `ListHistory`. */
export const formatHistoryRecord = (record: HistoryRecord): string =>
  toJsonString(HistoryRecordSchema, historyRecordToProto(record));
