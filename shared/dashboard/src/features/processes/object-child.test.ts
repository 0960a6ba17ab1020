import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { AcknowledgementSchema, type StatusRow, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { statusItemOf } from "../../api/status/status-item.ts";
import { childOf } from "./object-child.ts";
import type { ProcessRule } from "./rule.ts";

const critical = { status: Status.CRITICAL, stateType: StateType.HARD, lastHardStatus: Status.CRITICAL };
const soft = { status: Status.CRITICAL, stateType: StateType.SOFT, lastHardStatus: Status.WARNING };
const inDowntime = { ...critical, inDowntime: true };
const acknowledged = { ...critical, acknowledgement: create(AcknowledgementSchema, { author: "ann" }) };
const plain = { states: "hard", ignore: [] } as const;

for (const [rule, row, settings, expected] of [
  ["a soft state counts as the last hard one", soft, plain, ["warning", undefined]],
  ["with soft states it counts itself", soft, { ...plain, states: "soft" }, ["critical", undefined]],
  ["a problem in downtime counts", inDowntime, plain, ["critical", undefined]],
  ["unless it is ignored", inDowntime, { ...plain, ignore: ["downtime"] }, ["ok", "in downtime"]],
  ["an ignored acknowledgement", acknowledged, { ...plain, ignore: ["acknowledged"] }, ["ok", "acknowledged"]],
  ["one that is not ignored", acknowledged, { ...plain, ignore: ["downtime"] }, ["critical", undefined]],
] satisfies [string, Partial<StatusRow>, Pick<ProcessRule, "states" | "ignore">, unknown][])
  test(`[DB96] ${rule}`, () => {
    const object = { ref: { case: "host", value: { name: "web1" } } } as const;
    const item = statusItemOf(create(StatusRowSchema, { ...row, object }));
    assert.ok(item);
    const { status, ignored } = childOf(item, settings);
    assert.deepEqual([status, ignored], expected);
  });
