import assert from "node:assert/strict";
import { test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { keyOf, refOf } from "@realmwatch/shared/model/object-key";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { RowChange } from "@realmwatch/shared/row/row";
import { rowChangeToProto } from "@realmwatch/shared/row/state-row";
import { epochSubject, eventStream, stateStream, stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { AckPolicy } from "nats";
import { openRemovedRowPruner } from "./prune-removed.ts";

const log = { info() {}, warn() {} };
const hourMs = 3_600_000;

test("[FD58] messages of removed objects are deleted after an hour, once every reader has passed them", async (t) => {
  const server = await startNatsServer();
  t.after(() => server[Symbol.asyncDispose]());
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  t.after(() => bus.close());
  const connection = await until("connected to NATS", () => bus.live());
  const jsm = await connection.jetstreamManager();
  await setUpStreams(jsm, [stateStream, eventStream]);
  await jsm.consumers.add(stateStream.name, { durable_name: "reader", ack_policy: AckPolicy.Explicit });
  const publish = (subject: string, data: Uint8Array | string) => connection.jetstream().publish(subject, data);
  const send = (
    realm: string,
    change: { readonly ref: string; readonly epoch: number; readonly removed?: boolean },
  ) => {
    const key = keyOf(change.ref);
    const stamp = { realm, atMs: systemClock.now() };
    const version = { epoch: change.epoch, revision: 1 };
    const sent: RowChange =
      change.removed === true
        ? { kind: "drop", realm, key, ...version }
        : { kind: "put", row: rowFor(realm, change.ref, version) };
    return publish(stateSubject(realm, key), toBinary(StateRowSchema, rowChangeToProto(sent, stamp)));
  };
  for (const realm of ["fra", "ams"]) {
    await send(realm, { ref: "live", epoch: 2 });
    await send(realm, { ref: "gone", epoch: 2, removed: true });
    await send(realm, { ref: "gone!http", epoch: 1 });
    await send(realm, { ref: "unread", epoch: 2 });
  }
  await publish(epochSubject("fra"), "marker");
  await publish("svc.v1.state.fra.host.d2ViMQ.more.tokens", "foreign");

  const clock = manualClock(systemClock.now());
  let isProven = false;
  let searches = 0;
  const pruner = openRemovedRowPruner({
    ...{ bus, clock, log },
    realms: () => ["fra"],
    provenRows(realm) {
      searches += 1;
      assert.equal(realm, "fra");
      return isProven ? { epoch: 2, holds: (key) => refOf(key) === "live" } : undefined;
    },
  });
  t.after(() => pruner.close());
  const messages = async () => (await jsm.streams.info(stateStream.name)).state.messages;
  const all = await messages();
  const search = async (): Promise<void> => {
    const before = searches;
    await until("the realm is searched", () => {
      if (searches === before) clock.advance(hourMs);
      return searches > before;
    });
  };
  await search();
  assert.equal(await messages(), all, "rows that are not proven decide nothing");
  isProven = true;
  await search();
  await search();
  assert.equal(await messages(), all, "a reader has not passed them");

  const reader = await connection.jetstream().consumers.get(stateStream.name, "reader");
  const unread = await reader.fetch({ max_messages: Number(all), expires: 2_000 });
  for await (const message of unread) {
    message.ack();
    if (message.info.pending === 0) break;
  }
  await connection.flush();
  await search();
  await until("both messages are deleted", async () => (await messages()) === all - 2);
  const { subjects = {} } = (await jsm.streams.info(stateStream.name, { subjects_filter: ">" })).state;
  assert.deepEqual(
    Object.keys(subjects)
      .filter((subject) => subject.startsWith("svc.v1.state.fra."))
      .sort(),
    [
      "svc.v1.state.fra.epoch",
      stateSubject("fra", keyOf("live")),
      stateSubject("fra", keyOf("unread")),
      "svc.v1.state.fra.host.d2ViMQ.more.tokens",
    ].sort(),
  );
});
