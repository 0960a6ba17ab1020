import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { heartbeatSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import { isReplySubjectOf } from "../realms/reply-subject.ts";
import { listenToHeartbeats } from "./heartbeat-listener.ts";

let server: SpawnedServer;
let bus: NatsBus;
const log = { info() {}, warn() {} };
before(async () => {
  server = await startNatsServer();
  bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  await until("connected to NATS", () => bus.live());
});
after(async () => {
  await bus.close();
  await server[Symbol.asyncDispose]();
});

const beat = (realm: string) => toBinary(HeartbeatSchema, create(HeartbeatSchema, { realm, instance: "i" }));

/** Listens to the heartbeats of `fra` and `ams` on the bus of the tests. */
function listen(clock = manualClock(0)) {
  const heartbeats: Heartbeat[] = [];
  const replies: (((data: Uint8Array) => void) | undefined)[] = [];
  const rejected: string[] = [];
  const stop = listenToHeartbeats({
    ...{ bus, clock, isListed: (realm) => realm === "fra" || realm === "ams" },
    events: {
      onHeartbeat(heartbeat, reply) {
        heartbeats.push(heartbeat);
        replies.push(reply);
      },
      onRejected: ({ realm, reason }) => rejected.push(`${realm} ${reason}`),
      onUnlisted: (realm) => rejected.push(`${realm} unlisted`),
    },
  });
  const heardOf = (name: string) => heartbeats.filter(({ realm }) => realm === name).length;
  return { clock, heardOf, replies, rejected, stop };
}

test("[FD9] a heartbeat is answered on an inbox only; another reply subject is counted", async () => {
  const on = listen();
  const heard: string[] = [];
  const stop = bus.subscribe(">", ({ subject }) => !subject.startsWith("svc.") && heard.push(subject));
  const connection = bus.live();
  assert.ok(connection);
  const answered = ["_INBOX_fra.a", "_INBOX.b"];
  const refused = ["$JS.API.STREAM.PURGE.SVC_STATE", "_INBOX_ams.e", "svc.v1.rpc.ams", "_INBOX_fr"];
  for (const reply of [...answered, ...refused]) connection.publish(heartbeatSubject("fra"), beat("fra"), { reply });
  await until("all heartbeats count", () => on.heardOf("fra") === answered.length + refused.length);
  for (const reply of on.replies) reply?.(new Uint8Array());
  await until("the answers arrive", () => answered.every((subject) => heard.includes(subject)), { seen: () => heard });
  await connection.flush();
  assert.deepEqual(
    refused.filter((subject) => heard.includes(subject)),
    [],
  );
  assert.deepEqual(
    on.rejected,
    refused.map(() => "fra reply_subject"),
  );
  // NATS itself makes these, for requests of another account; it takes none from a client.
  assert.ok(isReplySubjectOf("fra", "_R_.c.d"));
  stop();
  on.stop();
});

test("[FD97] of a flood of heartbeats of one realm ten a second are read, and all of the others", async () => {
  const on = listen();
  const flood = async (data: Uint8Array): Promise<void> => {
    const heardBefore = on.heardOf("ams");
    for (let sent = 0; sent < 4_000; sent++) bus.publish(heartbeatSubject("fra"), data);
    bus.publish(heartbeatSubject("ams"), beat("ams"));
    await until("ams is heard behind the flood", () => on.heardOf("ams") > heardBefore);
  };
  await flood(beat("fra"));
  assert.equal(on.heardOf("fra"), 10);
  assert.deepEqual(
    on.rejected,
    Array.from({ length: 3_990 }, () => "fra heartbeat_rate"),
  );
  on.rejected.length = 0;
  on.clock.advance(1_000);
  await flood(Buffer.from([255, 255, 255]));
  assert.equal(on.rejected.filter((why) => why === "fra undecodable").length, 10);
  assert.equal(on.rejected.filter((why) => why === "fra heartbeat_rate").length, 3_990);
  on.clock.advance(1_000);
  bus.publish(heartbeatSubject("fra"), beat("fra"));
  await until("fra is heard again", () => on.heardOf("fra") === 11);
  on.stop();
});
