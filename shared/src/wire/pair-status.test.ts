import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { PairSchema } from "@realmwatch/proto/svc/v1/pair_pb";
import fc from "fast-check";
import { type PairStatus, pairRoles, takeoverReasons } from "../model/pair-status.ts";
import { pairFromProto, pairToProto } from "./pair-status.ts";

const name = fc.stringMatching(/^[a-z0-9-]{0,20}$/);
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const span = fc.integer({ min: 0, max: 1_000_000 });
const plain = { noNullPrototype: true };
const statuses: fc.Arbitrary<PairStatus> = fc.record(
  {
    ...{ self: name, active: name, standby: name, reason: name, role: fc.constantFrom(...pairRoles) },
    ...{ inSync: fc.boolean(), degraded: fc.boolean(), documentsDiffer: fc.boolean() },
    ...{ lagMs: span, leaseMs: span, marginMs: span, leaseRemainingMs: span, promiseRemainingMs: span },
    ...{ term: time, sinceMs: time },
    asOfMs: fc.constant(undefined),
    lastTakeover: fc.option(
      fc.record({ from: name, to: name, reason: fc.constantFrom(...takeoverReasons), term: time, atMs: time }, plain),
      { nil: undefined },
    ),
  },
  plain,
);

test("[PA50] the state of a pair is the same after the way over the wire", () =>
  fc.assert(
    fc.property(statuses, (status) =>
      assert.deepEqual(pairFromProto(fromBinary(PairSchema, toBinary(PairSchema, pairToProto(status)))), status),
    ),
  ));

test("[PA50] a hostile state of a pair is cut to what can be shown", () => {
  const [status] = fc.sample(statuses, 1) as [PairStatus];
  const proto = pairToProto({ ...status, role: "active", lagMs: Number.POSITIVE_INFINITY, term: Number.NaN });
  assert.equal(pairFromProto({ ...proto, role: 99 as never }), undefined);
  const read = pairFromProto({ ...proto, reason: "x".repeat(10_000), term: -(2n ** 60n) });
  assert.deepEqual([read?.reason.length, read?.term, read?.lagMs], [300, 0, 2 ** 32 - 1]);
});
