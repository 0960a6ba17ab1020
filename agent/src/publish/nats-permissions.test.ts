import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { decodeNatsResponse, encodeNatsRequest } from "@realmwatch/shared/wire/nats/nats-rpc";
import { checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, headers } from "nats";
import { offerOnce } from "../zones/offer-once.ts";
import {
  answerHeartbeats,
  makeStreams,
  openPublisher,
  published,
  readBroker,
  realmOf,
  silentLog,
  withLogin,
} from "./publisher.fixture.ts";
import { serveRpcOverNats } from "./rpc-over-nats.ts";

/** Exactly the permissions that the documentation gives to the agent of the realm `r`. */
const configuration = `
authorization { users = [
  { user: centre, password: c }
  { user: realm-r, password: r, permissions: {
    publish: ["svc.v1.state.r.>", "svc.v1.catalog.r", "svc.v1.catalog.r.>", "svc.v1.event.r", "svc.v1.heartbeat.r", "svc.v1.check.r.>"]
    subscribe: ["svc.v1.rpc.r", "_INBOX_r.>"]
    allow_responses: { max: 1000, expires: "2m" }
  } }
] }`;

function configFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-permissions-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "nats.conf");
  writeFileSync(path, configuration);
  return path;
}

test("an agent needs only its own subjects and its own inbox, and asks nothing of JetStream", async (t) => {
  await using server = await startNatsServer(["-c", configFile(t)]);
  const centre = withLogin(server, "centre:c");
  await makeStreams(centre);
  const heard = await answerHeartbeats(t, centre, () => ({ greatestEpoch: 4_000n, eventSeqKnown: true }));
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (fields: unknown) => void warnings.push(JSON.stringify(fields)) };
  const realm = realmOf(["a", "b"]);
  realm.record("e1");
  const { publisher, bus } = openPublisher(t, { url: withLogin(server, "realm-r:r"), realm, log });
  t.after(
    serveRpcOverNats({
      ...{ bus, clock: systemClock, log: silentLog, realm: "r", instance: "i", isHeld: () => false },
      answer: async () => ({ code: "ok", message: "", details: [], body: new Uint8Array() }),
    }),
  );
  await published(publisher);
  assert.ok(realm.epoch > 4_000, "the answer to the heartbeat arrived");
  publisher.rows([{ change: realm.change("a", "broken"), urgent: true }]);
  realm.catalog = { ...realm.catalog, views: [] };
  publisher.catalogChanged();
  await until("the evidence arrives", () => heard.at(-1)?.published === 3n);
  await readBroker(centre, async (broker) => {
    assert.equal((await broker.row("a"))?.row?.output, "broken");
    assert.deepEqual(await broker.events(), [[1, "e1"]]);
    await until("the catalog", async () => (await broker.catalogPart("view", 0))?.views.length === 0);
  });
  const offer = await offerOnce({
    ...{ bus, clock: systemClock, subject: checkSubject("r", "dmz"), data: new Uint8Array(1), timeoutMs: 5_000 },
    ...{ signal: new AbortController().signal, insecure: false },
  });
  assert.equal(offer.kind, "not_taken", "NATS reports on the own inbox that there is no worker");
  const answer = await callRealm(centre);
  assert.ok(answer.ok && answer.value.code === "ok");
  await bus.live()?.flush();
  assert.deepEqual(warnings, []);
  assert.equal(publisher.state().failed, 0);
});

/** Calls the realm `r` over NATS and decodes its answer. */
async function callRealm(url: string) {
  const connection = await connect({ servers: url, user: "centre", pass: "c" });
  const [part] = encodeNatsRequest({
    ...{ method: "svc.v1.CommandService/AddComment", authorization: "", requestId: "", timeoutMs: 5_000 },
    body: new Uint8Array(1),
  });
  const given = headers();
  for (const [name, value] of Object.entries(part?.headers ?? {})) given.set(name, value);
  const message = await connection.request("svc.v1.rpc.r", part?.data, { headers: given, timeout: 5_000 });
  await connection.close();
  return decodeNatsResponse({ headers: { code: message.headers?.get("code") ?? "" }, body: message.data });
}
