import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { explainNotifications } from "@realmwatch/cli/explain/explain-notifications";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import fc from "fast-check";
import { decisionLabel } from "../../shared/dashboard/src/features/object-details/decision-label.ts";

const nowMs = Date.UTC(2026, 2, 28, 17);

test("[NO25] the dashboard and the command line agree on which reason is over", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...notificationReasons),
      fc.constantFrom(undefined, nowMs - 60_000, nowMs + 60_000),
      fc.constantFrom(undefined, true, false),
      fc.record({ inDowntime: fc.boolean(), flapping: fc.boolean(), notificationsEnabled: fc.boolean() }),
      fc.record({ acknowledged: fc.boolean(), soft: fc.boolean(), well: fc.boolean() }),
      (reason, untilMs, notifications, state, { acknowledged, soft, well }) => {
        const row = create(StatusRowSchema, {
          ...state,
          status: well ? Status.OK : Status.CRITICAL,
          stateType: soft ? StateType.SOFT : StateType.HARD,
          ...(acknowledged && { acknowledgement: {} }),
          notification: { because: { reason, ...(untilMs !== undefined && { until: timestampFromMs(untilMs) }) } },
        });
        const screen = { columns: undefined, colours: false, zone: "UTC", nowMs };
        const program = notifications === undefined ? undefined : { ...allProgramTogglesOn, notifications };
        const text = explainNotifications({ row, program, screen }).join("\n");
        assert.ok(row.notification?.because);
        const label = decisionLabel(row.notification.because, { row, realmNotifications: notifications, nowMs });
        assert.equal(label === "Suppressed: ", text.includes("Suppressed: "), text);
        assert.equal(label === "Was suppressed: ", text.includes("does not apply any more"), text);
        assert.equal(label === "Suppressed when it was due: ", text.includes("Suppressed when it was due"), text);
        assert.equal(label === "About the end of the last problem: ", text.includes("About the end of its last"), text);
      },
    ),
    { numRuns: 5_000 },
  );
});
