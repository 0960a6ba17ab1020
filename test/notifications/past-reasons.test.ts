import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { explainNotifications } from "@realmwatch/cli/explain/explain-notifications";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import fc from "fast-check";
import { decisionLabel } from "../../shared/dashboard/src/features/object-details/decision-label.ts";

const nowMs = Date.UTC(2026, 2, 28, 17);

// The dashboard imports no code of the other packages, so that both decide for themselves which reason is over.
test("[NO25] the dashboard and the command line agree on which reason of a problem is over", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...notificationReasons.filter((reason) => reason !== "decided")),
      fc.constantFrom(undefined, nowMs - 60_000, nowMs + 60_000),
      fc.record({ acknowledged: fc.boolean(), inDowntime: fc.boolean(), flapping: fc.boolean(), soft: fc.boolean() }),
      fc.boolean(),
      (reason, untilMs, { acknowledged, soft, ...state }, notificationsEnabled) => {
        const because = { reason, ...(untilMs !== undefined && { until: timestampFromMs(untilMs) }) };
        const row = create(StatusRowSchema, {
          ...{ status: Status.CRITICAL, stateType: soft ? StateType.SOFT : StateType.HARD, notificationsEnabled },
          ...state,
          ...(acknowledged && { acknowledgement: {} }),
          notification: { because },
        });
        const screen = { columns: undefined, colours: false, zone: "UTC", nowMs };
        const text = explainNotifications({ row, program: undefined, screen }).join("\n");
        const label = decisionLabel(because, { problem: true, soft, row }, nowMs);
        assert.equal(label === "Was suppressed: ", text.includes("does not apply any more"), text);
        assert.equal(label === "Suppressed when it was due: ", text.includes("Suppressed when it was due"), text);
      },
    ),
    { numRuns: 2_000 },
  );
});
