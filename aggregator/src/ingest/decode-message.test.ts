import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { PairSchema } from "@realmwatch/proto/svc/v1/pair_pb";
import { HeartbeatSchema, RealmEpochSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";
import { decodeHeartbeat, decodeMessage } from "./decode-message.ts";
import { encodedRow, rowSubject } from "./ingest.fixture.ts";

const decoded = (subject: string, data: Uint8Array) => decodeMessage(subjects.parseSubject(subject), { data, seq: 1 });
const heartbeatTopic = subjects.parseSubject(subjects.heartbeatSubject("fra"));

test("[FD5] an epoch or revision above 2^53 is rejected as such in each kind of message", () => {
  const [huge, detail] = [2n ** 53n, "an epoch or revision is above 2^53"];
  const rejected = { ok: false, error: { realm: "fra", reason: "epoch", detail } };
  const rowWith = (version: { epoch: bigint; revision: bigint }): Uint8Array =>
    toBinary(StateRowSchema, { ...fromBinary(StateRowSchema, encodedRow("fra", "web1")), ...version });
  const beat = (version: { epoch: bigint; revision: bigint }): Uint8Array =>
    toBinary(HeartbeatSchema, create(HeartbeatSchema, { realm: "fra", instance: "i", ...version }));
  const marker = toBinary(RealmEpochSchema, create(RealmEpochSchema, { realm: "fra", epoch: 2n ** 64n - 1n }));
  for (const version of [
    { epoch: huge, revision: 1n },
    { epoch: 1n, revision: huge },
  ]) {
    assert.deepEqual(decoded(rowSubject("fra", "web1"), rowWith(version)), rejected);
    assert.deepEqual(decodeHeartbeat(heartbeatTopic, beat(version)), rejected);
  }
  assert.deepEqual(decoded(subjects.epochSubject("fra"), marker), rejected);
});

test("[NB4] a message of 100 000 nested groups is rejected in each kind of message", () => {
  const group = (tag: number): Uint8Array[] => {
    const open = new Uint8Array(100_000).fill((tag << 3) | 3);
    return [open, Buffer.concat([open, new Uint8Array(100_000).fill((tag << 3) | 4)])];
  };
  // Field 1 is known to every message, field 15 to none of them.
  for (const data of [...group(1), ...group(15)]) {
    const answers = [
      decoded(rowSubject("fra", "web1"), data),
      decoded(subjects.epochSubject("fra"), data),
      decodeHeartbeat(heartbeatTopic, data),
    ];
    // A message without a known field names no realm.
    for (const answer of answers)
      assert.match(answer.ok ? "" : answer.error.reason, /^(?:undecodable|foreign)$/, JSON.stringify(answer));
  }
});

test("[NB4] a message above the size limit is refused before decoding", () => {
  const large = new Uint8Array(subjects.maxMessageBytes + 1);
  assert.deepEqual(decoded(rowSubject("fra", "web1"), large), {
    ok: false,
    error: { realm: "fra", reason: "too_large" },
  });
  assert.deepEqual(decodeHeartbeat(heartbeatTopic, large), {
    ok: false,
    error: { realm: "fra", reason: "too_large" },
  });
});

test("[PA50] a heartbeat has the pair that serves the realm; a hostile one is cut or left out", () => {
  const pairOf = (pair: MessageInitShape<typeof PairSchema>) => {
    const beat = create(HeartbeatSchema, { realm: "fra", instance: "i", epoch: 1n, pair });
    const decoded = decodeHeartbeat(
      subjects.parseSubject(subjects.heartbeatSubject("fra")),
      toBinary(HeartbeatSchema, beat),
    );
    assert.ok(decoded.ok);
    return decoded.value.pair;
  };
  const shown = pairOf({ self: "fra-a", role: 1, active: "fra-a", standby: "x".repeat(1_000), term: 5n });
  assert.deepEqual([shown?.role, shown?.active, shown?.standby.length, shown?.term], ["active", "fra-a", 300, 5]);
  assert.equal(pairOf({ self: "fra-a", role: 77 as never }), undefined);
});
