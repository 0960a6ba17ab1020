import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { HeartbeatReplySchema, RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { startNatsServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { epochSubject, eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { openFreshnessTracker, openModelEvidence } from "./freshness-tracker.ts";
import { heartbeatReplies } from "./heartbeat-replies.ts";

const log = { info() {}, warn() {}, error() {} };

test("[FD61] an agent is asked to publish its rows again when the stream has lost its marker", async () => {
  await using server = await startNatsServer();
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
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
    wantsRepublication: () => false,
  });
  const asksAgain = async (rows: number): Promise<boolean> => {
    const claim = { epoch: 5, published: rows, rows, digest: 1n };
    const heartbeat = { realm: "fra", instance: "one", previousInstance: "", version: "v1", eventSeq: 0, error: "" };
    const more = { epoch: 5, revision: 2, sentAtMs: clock.now(), uptimeMs: clock.monotonic(), unstoredMs: 0, claim };
    const all = { ...heartbeat, ...more, isLeaving: false, objects: rows, unpublished: [] };
    return fromBinary(HeartbeatReplySchema, await replies.replyTo(all)).republish;
  };
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
