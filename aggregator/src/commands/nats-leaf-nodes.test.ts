import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { connect, type NatsConnection } from "nats";
import { createStreams, startPrintedNats } from "./printed-nats.fixture.ts";

/** A leaf node without JetStream, as docs/how-to/nats.md shows it: it logs in to the centre as one realm. */
async function startLeaf(remote: string) {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-leaf-"));
  after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "leaf.conf");
  writeFileSync(path, `leafnodes { remotes: [{ url: "${remote}" }] }\n`);
  return startNatsServer(["-c", path, "-js=false"]);
}

for (const accountPerRealm of [false, true])
  test(`agents at leaf nodes work with the printed configuration, ${accountPerRealm ? "an account a realm" : "one account"}`, async () => {
    const leafPort = await freePort();
    await using nats = await startPrintedNats(
      { realms: ["fra", "ams"], zones: [], accountPerRealm, leafNodes: true },
      `leafnodes { host: "127.0.0.1", port: ${leafPort} }`,
    );
    const remote = (realm: string): string => nats.realmUrl(realm).replace(/:\d+$/, `:${leafPort}`);
    await using fraLeaf = await startLeaf(remote("fra"));
    await using amsLeaf = await startLeaf(remote("ams"));
    const at = async (realm: string, url: string) => {
      const connection = await connect({ servers: url, inboxPrefix: `_INBOX_${realm}` });
      after(() => connection.close());
      return connection;
    };
    const [centre, fra, ams] = [await nats.centre(), await at("fra", fraLeaf.url), await at("ams", amsLeaf.url)];
    const jsm = await createStreams(centre);

    // Until the leaf node is connected, NATS answers at once that nothing listens. A row whose answer came too late would
    // be stored twice.
    const stored = (agent: NatsConnection, subject: string, timeout = 10_000) =>
      agent.jetstream().publish(subject, "x", { timeout });
    assert.equal(
      (await until("a row is acknowledged over the leaf node", () => stored(fra, "svc.v1.state.fra.host.a"))).stream,
      "SVC_STATE",
    );
    await until("a row of the other leaf node", () => stored(ams, "svc.v1.state.ams.host.a"));
    centre.subscribe("svc.v1.heartbeat.*", { callback: (_, message) => void message.respond("heard") });
    await until(
      "a heartbeat is answered",
      async () => (await fra.request("svc.v1.heartbeat.fra", "", { timeout: 500 })).string() === "heard",
    );
    fra.subscribe("svc.v1.rpc.fra", { callback: (_, message) => void message.respond("done") });
    await until(
      "a call is answered",
      async () => (await centre.request("svc.v1.rpc.fra", "", { timeout: 500 })).string() === "done",
    );

    // A hostile client at one leaf node reaches nothing of the other realm.
    const heard: string[] = [];
    for (const subject of [">", "svc.>", "svc.v1.rpc.fra", "_INBOX_fra.>"])
      ams.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
    await ams.flush();
    await assert.rejects(stored(ams, "svc.v1.state.fra.host.a", 500));
    await assert.rejects(ams.jetstreamManager());
    ams.publish("svc.v1.state.ams.host.b", "x", { reply: "svc.v1.event.fra" });
    await stored(fra, "svc.v1.state.fra.host.b");
    await centre.request("svc.v1.rpc.fra", "", { timeout: 5_000 });
    await Promise.all([fra.flush(), ams.flush()]);
    // Messages that the client publishes at its own leaf node do not leave that node.
    const own = ["svc.v1.state.fra.host.a", "svc.v1.event.fra"];
    assert.deepEqual(
      heard.filter((subject) => /fra|_INBOX_fra/.test(subject) && !own.includes(subject)),
      [],
    );
    assert.equal((await jsm.streams.info("SVC_EVENTS")).state.messages, 0);
    assert.equal((await jsm.streams.getMessage("SVC_STATE", { last_by_subj: "svc.v1.state.fra.host.a" })).seq, 1);
    await Promise.all([fra.close(), ams.close()]);
  });
