import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { explainObject } from "./explain-object.ts";

/** Terminal on which the explanations are printed, on 2026-03-28 at 17:00 UTC. */
export const explainScreen = {
  columns: undefined,
  colours: false,
  nowMs: Date.parse("2026-03-28T17:00:00Z"),
  zone: "UTC",
};

/** Time `HH:MM:SS` on the day of `explainScreen`. */
export const timeToday = (time: string): Timestamp => timestampToProto(Date.parse(`2026-03-28T${time}Z`));

type RowInit = Extract<MessageInitShape<typeof StatusRowSchema>, { $typeName?: never }>;

/** The service `http` of the host `web1`. */
export const webService = { ref: { case: "service" as const, value: { host: "web1", name: "http" } } };

/** Row of `webService` in a hard problem of two hours. */
export const brokenService: RowInit = {
  object: webService,
  status: Status.CRITICAL,
  stateType: StateType.HARD,
  attempt: 3,
  maxAttempts: 3,
  output: "connection refused",
  lastChange: timeToday("15:00:00"),
  lastCheck: timeToday("16:59:30"),
  nextCheck: timeToday("17:00:30"),
};

/** Sentences that explain a row. */
export const explainRow = (row: RowInit, program = allProgramTogglesOn): readonly string[] =>
  explainObject({ row: create(StatusRowSchema, row), program }, explainScreen);
