import assert from "node:assert/strict";
import { after, test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type HeartbeatReply,
  HeartbeatReplySchema,
  RealmEpochSchema,
  RealmEventSchema,
} from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { epochSubject, eventStream, eventSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { openFreshnessTracker } from "./freshness-tracker.ts";
import { heartbeatReplies } from "./heartbeat-replies.ts";
import { openModelEvidence } from "./model-evidence.ts";

const log = { info() {}, warn() {}, error() {} };

test("[FD61, FD83] an agent is told the greatest numbers seen of its realm, and asked for its rows when the stream lost its marker", async () => {
  await using server = await startNatsServer();
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  after(() => bus.close());
  const connection = await until("connected to NATS", () => bus.live());
  const jsm = await connection.jetstreamManager();
  await setUpStreams(jsm, [stateStream, eventStream], { replicas: undefined });
  const marker = create(RealmEpochSchema, { realm: "fra", epoch: 5n, complete: true, rows: 2 });
  await connection.jetstream().publish(epochSubject("fra"), toBinary(RealmEpochSchema, marker));

  const clock = manualClock(1_000_000);
  const evidence = openModelEvidence();
  const freshness = openFreshnessTracker({ clock, log, evidence: () => evidence });
  const replies = heartbeatReplies({
    ...{ bus, clock, freshness, evidence: () => evidence },
    ...{ wantsRepublication: () => false, seen: () => ({ history: 3, command: 9 }) },
  });
  const replyTo = async (rows: number): Promise<HeartbeatReply> => {
    const claim = { epoch: 5, published: rows, rows, digest: 1n };
    const heartbeat = {
      realm: "fra",
      instance: "one",
      previousInstance: "",
      version: "v1",
      error: "",
      firstEventSeq: 0,
    };
    const more = { epoch: 5, revision: 2, sentAtMs: clock.now(), uptimeMs: clock.monotonic(), unstoredMs: 0, claim };
    const all = {
      ...heartbeat,
      ...more,
      isLeaving: false,
      newest: { history: 0, command: 0 },
      restoredCopy: "",
      objects: rows,
      unpublished: [],
      catalog: undefined,
    };
    return fromBinary(HeartbeatReplySchema, await replies.replyTo(all));
  };
  const asksAgain = async (rows: number): Promise<boolean> => (await replyTo(rows)).republish;
  const event = toBinary(RealmEventSchema, realmEventToProto({ seq: 7, realm: "", atMs: 5, type: "config" }, "fra", 4));
  await connection.jetstream().publish(eventSubject("fra"), event);
  const { seenEventSeq, seenCommandSeq } = await replyTo(2);
  assert.deepEqual([seenEventSeq, seenCommandSeq], [7n, 9n], "of the stream, and of heartbeats");
  assert.equal(await asksAgain(2), false);
  await jsm.streams.purge(stateStream.name);
  assert.equal(await asksAgain(2), false, "the stream is read once a minute");
  clock.advance(61_000);
  assert.equal(await asksAgain(2), true);
  assert.equal(await asksAgain(0), false, "a realm without rows has lost none");
  await connection.jetstream().publish(epochSubject("fra"), toBinary(RealmEpochSchema, marker));
  assert.equal(await asksAgain(2), false);
  freshness.close();
  await bus.close();
});
