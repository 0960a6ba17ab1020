import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { type BulkRun, waitingRealms, withOutcomes } from "../../api/commands/bulk-run.ts";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { bulkHeadline, bulkStatus, bulkTone } from "./bulk-summary.ts";

/** A run that began at 0 for objects in each realm, of which some are visible. */
function runFor(counts: Readonly<Record<string, readonly [total: number, visible: number]>>): BulkRun {
  const items = Object.entries(counts).map(([realm, [total]]) => {
    const own = Array.from({ length: total }, (_, at) =>
      statusItemOf(create(StatusRowSchema, { realm, object: objectKeyToProto({ kind: "host", name: `h${at}` }) })),
    );
    return [realm, own as StatusItem[]] as const;
  });
  const realms = waitingRealms(new Map(items), () => true).map((one) => {
    const visible = new Set(one.items.slice(0, counts[one.realm]?.[1]).map(({ id }) => id));
    return { ...one, visible };
  });
  const times = { startedAtMs: 0, settledAtMs: undefined, startRevision: "", revision: "" };
  return { id: 1, label: "downtime", realms, effectRows: "with_downtimes", inDialog: false, retry() {}, ...times };
}

const answered = (run: BulkRun, refusing: readonly string[] = [], code = Code.Unavailable): BulkRun => {
  const error = new ConnectError("gone", code);
  const outcomes = run.realms.map(({ realm }) => ({
    realm,
    downtimeIds: [],
    error: refusing.includes(realm) ? error : undefined,
  }));
  return withOutcomes(run, outcomes, 10_000);
};

const two = runFor({ fra: [200, 150], dub: [14, 0] });
const rows: readonly [run: BulkRun, nowMs: number, headline: string, status: string, tone: string][] = [
  [two, 3_000, "Sending: downtime for 214 objects", "Waiting for dub, fra, 3 s · 150 of 214 visible so far", "waiting"],
  [
    runFor({ fra: [4, 4], dub: [4, 0] }),
    3_000,
    "Sending: downtime for 8 objects",
    "Waiting for dub, 3 s · 4 of 8 visible so far",
    "waiting",
  ],
  [
    runFor({ a: [1, 0], b: [1, 0], c: [1, 0], d: [1, 0], e: [1, 1] }),
    3_000,
    "Sending: downtime for 5 objects",
    "Waiting for 4 of 5 realms, 3 s · 1 of 5 visible so far",
    "waiting",
  ],
  [
    runFor({ "": [2, 1] }),
    3_000,
    "Sending: downtime for 2 objects",
    "Waiting for the answer, 3 s · 1 of 2 visible so far",
    "waiting",
  ],
  [
    answered(two),
    11_000,
    "Accepted: downtime for 214 of 214 objects (dub: 14, fra: 200)",
    "214 accepted, 150 visible so far",
    "waiting",
  ],
  [
    answered(two),
    15_001,
    "Accepted: downtime for 214 of 214 objects (dub: 14, fra: 200)",
    "214 accepted, 64 of them not yet visible",
    "late",
  ],
  [
    answered(two),
    70_000,
    "Accepted: downtime for 214 of 214 objects (dub: 14, fra: 200)",
    "214 accepted, 64 of them not visible after 1 m",
    "late",
  ],
  [
    answered(runFor({ "": [2, 2] })),
    11_000,
    "Accepted: downtime for 2 of 2 objects",
    "2 accepted, all visible",
    "done",
  ],
  [
    answered(two, ["dub"]),
    11_000,
    "Accepted: downtime for 200 of 214 objects (fra: 200)",
    "200 accepted, 150 visible so far · 14 of 214 not accepted",
    "failed",
  ],
  [answered(two, ["fra", "dub"]), 11_000, "Not accepted: downtime for 214 objects", "", "failed"],
  [
    answered(two, ["dub"], Code.DeadlineExceeded),
    11_000,
    "Accepted: downtime for 200 of 214 objects (fra: 200)",
    "200 accepted, 150 visible so far · the outcome of 14 of 214 is unknown",
    "failed",
  ],
  [
    answered(two, ["fra", "dub"], Code.DeadlineExceeded),
    11_000,
    "Outcome unknown: downtime for 214 objects",
    "",
    "failed",
  ],
];
for (const [run, nowMs, headline, status, tone] of rows)
  test(`[DB65] after ${nowMs} ms: ${headline}; ${status}`, () => {
    assert.deepEqual([bulkHeadline(run), bulkStatus(run, nowMs), bulkTone(run, nowMs)], [headline, status, tone]);
  });
