import assert from "node:assert/strict";
import { test } from "node:test";
import { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import { isOfEarlierProblem } from "./delivery-of-problem.ts";

test("[NO25] a delivery is of an earlier problem while none was decided for the present one, a recovery always", () => {
  const { PROBLEM, STATUS_CHANGE, RECOVERY, CUSTOM } = NotificationKind;
  const rows: [kind: NotificationKind, level: number, sentAtLevel: number, earlier: boolean][] = [
    [PROBLEM, 0, 0, true],
    [STATUS_CHANGE, 0, 0, true],
    [RECOVERY, 0, 0, true],
    [CUSTOM, 0, 0, false],
    [PROBLEM, 0, 1, false],
    [PROBLEM, 1, 0, false],
    [RECOVERY, 1, 2, true],
  ];
  for (const [kind, level, sentAtLevel, earlier] of rows)
    assert.equal(isOfEarlierProblem({ kind }, { level, sentAtLevel }), earlier, `${kind} ${level} ${sentAtLevel}`);
});
