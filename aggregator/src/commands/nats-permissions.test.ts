import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { checkQueueGroup, checkSubject, eventMessageId } from "@realmwatch/shared/wire/nats/nats-subjects";
import { createInbox, type JetStreamManager, type Msg, type NatsConnection } from "nats";
import { createStreams, startPrintedNats } from "./printed-nats.fixture.ts";

const clock: Clock = systemClock;
const realms = ["fra", "ams", "fra-1"];
const zones = ["dmz", "far away/β"].map((zone) => zone.replace(" ", ""));
const row = "svc.v1.state.fra.host.d2ViMQ";

/** Text of the newest message of a subject; empty when there is none. */
async function newest(jsm: JetStreamManager, stream: string, subject: string): Promise<string> {
  try {
    return (await jsm.streams.getMessage(stream, { last_by_subj: subject })).string();
  } catch {
    return "";
  }
}

/** Messages that a subscription receives, and the error with which the server refuses it. */
function listen(connection: NatsConnection, subject: string, queue?: string) {
  const heard: Msg[] = [];
  let refused = "";
  connection.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback(error, message) {
      if (error) refused = error.message;
      else heard.push(message);
    },
  });
  return { heard, refused: () => refused };
}

/** Permission errors of a connection, by operation and subject. */
function refusals(connection: NatsConnection): ReadonlySet<string> {
  const seen = new Set<string>();
  void (async () => {
    for await (const { permissionContext } of connection.status() as AsyncIterable<{ permissionContext?: Context }>)
      if (permissionContext) seen.add(`${permissionContext.operation} ${permissionContext.subject}`);
  })();
  return seen;
}
type Context = { readonly operation: string; readonly subject: string };

for (const accountPerRealm of [false, true]) {
  const mode = accountPerRealm ? "an account a realm" : "one account for all realms";

  test(`${mode}: centre, realms and workers do with the printed configuration what they need`, async () => {
    await using nats = await startPrintedNats({ realms, zones, accountPerRealm });
    const [centre, fra, ams, worker] = [
      await nats.centre(),
      await nats.realm("fra"),
      await nats.realm("ams"),
      await nats.worker("dmz"),
    ];
    const jsm = await createStreams(centre);
    for (const [realm, agent] of [
      ["fra", fra],
      ["ams", ams],
    ] as const) {
      const js = agent.jetstream();
      for (const subject of [`state.${realm}.host.d2ViMQ`, `state.${realm}.epoch`, `catalog.${realm}`])
        assert.equal((await js.publish(`svc.v1.${subject}`, realm)).stream, "SVC_STATE");
      const id = { msgID: eventMessageId(realm, 1) };
      assert.equal((await js.publish(`svc.v1.event.${realm}`, realm, id)).stream, "SVC_EVENTS");
      assert.equal((await js.publish(`svc.v1.event.${realm}`, realm, id)).duplicate, true);
    }
    assert.equal(await newest(jsm, "SVC_STATE", row), "fra");

    const aggregators = [listen(centre, "svc.v1.heartbeat.*"), listen(await nats.centre(), "svc.v1.heartbeat.*")];
    await centre.flush();
    const inbox = createInbox("_INBOX_fra");
    const answers = listen(fra, inbox);
    await until("both aggregators hear the heartbeat", () => {
      fra.publish("svc.v1.heartbeat.fra", "beat", { reply: inbox });
      return aggregators.every(({ heard }) => heard.length > 0);
    });
    for (const { heard } of aggregators) heard[0]?.respond("answer");
    await until("both answers arrive", () => answers.heard.filter((m) => m.string() === "answer").length >= 2);

    const calls = listen(fra, "svc.v1.rpc.fra");
    await fra.flush();
    const reply = createInbox();
    const results = listen(centre, reply);
    // A large call has several messages with one reply subject, and so has its answer.
    for (const part of ["1", "2", "3"]) centre.publish("svc.v1.rpc.fra", part, { reply });
    await until("the call arrives", () => calls.heard.length === 3);
    assert.equal(new Set(calls.heard.map((m) => m.reply)).size, 1);
    for (let n = 0; n < 130; n++) calls.heard[0]?.respond(`${n}`);
    await until("the whole answer arrives", () => results.heard.length === 130);
    await assert.rejects(centre.request("svc.v1.rpc.ams", "", { timeout: 5_000 }), { code: "503" });

    const offers = listen(worker, "svc.v1.check.*.ZG16", checkQueueGroup);
    await worker.flush();
    const outcome = createInbox("_INBOX_fra");
    const done = listen(fra, outcome);
    fra.publish(checkSubject("fra", "dmz"), "offer", { reply: outcome });
    await until("the offer arrives", () => offers.heard.length === 1);
    for (const answer of ["taken", "done"]) offers.heard[0]?.respond(answer);
    await until("both answers of the worker arrive", () => done.heard.length === 2);
    fra.publish(checkSubject("fra", "lab"), "offer", { reply: outcome });
    await until("a zone without workers is noticed at once", () => done.heard.at(-1)?.headers?.code === 503);
    assert.equal(offers.refused(), "");
  });

  test(`${mode}: with the login of a realm nothing of another realm is read or written`, async () => {
    await using nats = await startPrintedNats({ realms, zones, accountPerRealm });
    const [centre, fra, attacker, worker] = [
      await nats.centre(),
      await nats.realm("fra"),
      await nats.realm("ams"),
      await nats.worker("dmz"),
    ];
    const jsm = await createStreams(centre);
    await fra.jetstream().publish(row, "of fra");
    await fra.jetstream().publish("svc.v1.event.fra", "of fra");
    const heartbeats = listen(centre, "svc.v1.heartbeat.*");
    const calls = listen(fra, "svc.v1.rpc.fra");
    const offers = listen(worker, "svc.v1.check.*.ZG16", checkQueueGroup);
    await Promise.all([centre.flush(), fra.flush(), worker.flush()]);

    const refused = refusals(attacker);
    const forbidden = [
      ...[">", "svc.>", "_INBOX.>", "_INBOX_fra.>", "_INBOX_fra.*", "_INBOX_fra-1.>", "_INBOX*", "*.>", "_R_.>"],
      ...[
        "svc.v1.rpc.fra",
        "svc.v1.rpc.*",
        "svc.v1.rpc.>",
        "svc.v1.check.fra.*",
        "svc.v1.check.>",
        "svc.v1.state.fra.>",
      ],
      ...["svc.v1.state.ams.>", "svc.v1.heartbeat.*", "svc.v1.event.fra", "svc.v1.catalog.fra", "$JS.>", "$SYS.>"],
    ];
    const ears = forbidden.map((subject) => ({ subject, ...listen(attacker, subject) }));
    await until("every subscription is refused", () => ears.every((ear) => ear.refused() !== ""), {
      seen: () => ears.filter((ear) => ear.refused() === "").map(({ subject }) => subject),
    });

    const writes = [
      ...[row, "svc.v1.state.fra.epoch", "svc.v1.catalog.fra", "svc.v1.event.fra", "svc.v1.heartbeat.fra"],
      ...["svc.v1.rpc.fra", "svc.v1.rpc.ams", "svc.v1.check.fra.ZG16", "_INBOX_fra.x", "_INBOX.x", "_INBOX_ams.x"],
      ...[
        "svc.v1.state.fra-1.epoch",
        "svc.v1.state._probe",
        "svc.v1.state._forgotten.ams",
        "svc.v1.state.>",
        "$JS.ACK.SVC_STATE.x.1.1.1.1.1",
      ],
      ...["INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.CREATE.MINE", "STREAM.DELETE.SVC_STATE"].map(api),
      ...["STREAM.PURGE.SVC_STATE", "STREAM.UPDATE.SVC_STATE", "STREAM.INFO.SVC_STATE"].map(api),
      ...["STREAM.MSG.GET.SVC_STATE", "STREAM.MSG.DELETE.SVC_STATE", "DIRECT.GET.SVC_STATE"].map(api),
      ...["CONSUMER.CREATE.SVC_STATE", "CONSUMER.MSG.NEXT.SVC_STATE.x", "STREAM.SNAPSHOT.SVC_STATE"].map(api),
      ...["svc.v1.lease.fra", "svc.v1.lease.>", "svc.v1.lease.ams.more", "svc.v1.lease._probe"],
      ...["STREAM.DELETE.SVC_LEASE", "STREAM.PURGE.SVC_LEASE", "STREAM.MSG.DELETE.SVC_LEASE"].map(api),
      ...["STREAM.UPDATE.SVC_LEASE", "STREAM.CREATE.SVC_LEASE", "DIRECT.GET.SVC_LEASE"].map(api),
    ];
    for (const subject of writes) attacker.publish(subject, "hostile", { reply: "_INBOX_ams.answer" });
    await until("every message is refused", () => writes.every((subject) => refused.has(`publish ${subject}`)), {
      seen: () => writes.filter((subject) => !refused.has(`publish ${subject}`)),
    });
    await assert.rejects(attacker.jetstreamManager());

    // Nor may an answer of a stream, the centre or a worker be directed there.
    for (const reply of [row, "svc.v1.state.fra.epoch", "svc.v1.heartbeat.fra", "$JS.API.STREAM.DELETE.SVC_EVENTS"]) {
      attacker.publish("svc.v1.state.ams.host.x", "own", { reply });
      attacker.publish("svc.v1.event.ams", "own", { reply });
      attacker.publish("svc.v1.heartbeat.ams", "own", { reply });
      attacker.publish("svc.v1.check.ams.ZG16", "own", { reply });
    }
    await until("the own messages arrive", () => heartbeats.heard.length >= 4 && offers.heard.length >= 4);
    for (const message of [...heartbeats.heard, ...offers.heard]) message.respond("redirected");
    await Promise.all([centre.flush(), worker.flush(), attacker.flush()]);
    // A message that arrives nowhere gives no sign: the time in which it would.
    await sleep(clock, 300);

    assert.equal(await newest(jsm, "SVC_STATE", row), "of fra");
    assert.equal(await newest(jsm, "SVC_STATE", "svc.v1.state.fra.epoch"), "");
    assert.equal(await newest(jsm, "SVC_EVENTS", "svc.v1.event.fra"), "of fra");
    assert.deepEqual([...new Set(heartbeats.heard.map(({ subject }) => subject))], ["svc.v1.heartbeat.ams"]);
    assert.deepEqual([...new Set(offers.heard.map(({ subject }) => subject))], ["svc.v1.check.ams.ZG16"]);
    assert.deepEqual(calls.heard, []);
    assert.deepEqual(
      ears.flatMap(({ heard }) => heard),
      [],
    );
    assert.deepEqual((await jsm.streams.names().next()).sort(), ["SVC_EVENTS", "SVC_LEASE", "SVC_STATE"]);
  });

  test(`${mode}: with the login of a worker nothing but the checks of its zone is read, nothing written`, async () => {
    await using nats = await startPrintedNats({ realms, zones, accountPerRealm });
    const [centre, attacker] = [await nats.centre(), await nats.worker(zones[1] ?? "")];
    const jsm = await createStreams(centre);
    const refused = refusals(attacker);
    const forbidden = [">", "svc.v1.check.>", "svc.v1.check.*.ZG16", "svc.v1.rpc.fra", "_INBOX_fra.>", "_INBOX.>"];
    const ears = forbidden.map((subject) => listen(attacker, subject));
    for (const subject of [row, "svc.v1.heartbeat.fra", "svc.v1.check.fra.ZG16", api("INFO")])
      attacker.publish(subject, "hostile");
    await until("all is refused", () => refused.size >= 4 && ears.every((ear) => ear.refused() !== ""));
    assert.equal(await newest(jsm, "SVC_STATE", row), "");
  });
}

const api = (method: string): string => `$JS.API.${method}`;
