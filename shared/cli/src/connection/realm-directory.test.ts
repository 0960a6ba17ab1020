import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type ExecuteRequest, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { readTarget } from "../parse/read-target.ts";
import { ServerClient } from "./server-client.ts";

const hosts = [
  ["fra", "web1"],
  ["nyc", "web1"],
  ["nyc", "db1"],
] as const;

/** Client of an aggregator with two realms; `calls` lists the realms of forwarded commands. */
async function openCentre(t: TestContext, targetRealm?: string) {
  const calls: string[] = [];
  const executed: ExecuteRequest[] = [];
  const accept = ({ realm }: { realm: string }) => {
    calls.push(realm);
    return {};
  };
  const routes = connectNodeAdapter({
    routes: (router) =>
      router
        .service(QueryService, {
          getServerInfo: () => ({ aggregator: true }),
          listStatus: ({ object }) => ({
            realms: [{ name: "nyc" }, { name: "fra" }],
            rows: hosts
              .filter(([, name]) => object === undefined || (object.ref.value as { name?: string }).name === name)
              .map(([realm, name]) => ({
                realm,
                object: { ref: { case: "host" as const, value: { name } } },
                downtimes: [{ id: `d-${realm}` }],
                comments: [{ id: `c-${realm}-${name}` }],
              })),
          }),
        })
        .service(RealmCommandService, { scheduleCheck: accept, deleteDowntime: accept, deleteComment: accept })
        .service(RealmBulkService, {
          execute(request) {
            executed.push(request);
            const refused = { realm: "nyc", code: "unavailable", message: "it is unreachable" };
            const accepted = { realm: "fra", matched: 2, downtimeIds: ["d1", "d2"] };
            return { results: request.selector === "env=prod" ? [accepted] : [accepted, refused] };
          },
        }),
  });
  const server = createServer(routes);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = { server: url, author: "ann", token: undefined, targetRealm };
  return { client: new ServerClient({ flags, loginName: () => "ann" }), calls, executed };
}

const targetOf = (text: string | undefined, selector?: string) => {
  const target = readTarget(text, selector);
  assert.ok(target.ok);
  return target.value;
};
const messageOf = (answer: { ok: boolean; error?: { lines: readonly string[] } }): string =>
  (answer.error?.lines ?? []).join("\n").replace(/http:\S+/, "URL");

test("a command goes to the realm that has its object, downtime or comment", async (t) => {
  const { client, calls } = await openCentre(t);
  assert.ok((await client.command("scheduleCheck", { target: targetOf("db1") })).ok);
  assert.ok((await client.command("deleteDowntime", { downtimeId: "d-fra" })).ok);
  assert.ok((await client.command("deleteComment", { commentId: "c-nyc-db1" })).ok);
  assert.deepEqual(calls, ["nyc", "fra", "nyc"]);
});

test("an object of no realm or of several is refused, and so is an unknown realm", async (t) => {
  const { client, calls } = await openCentre(t);
  const both = await client.command("scheduleCheck", { target: targetOf("web1") });
  assert.equal(messageOf(both), "realmwatch: web1 is in several realms: choose one with -target-realm: fra, nyc");
  const none = await client.command("scheduleCheck", { target: targetOf("web9") });
  assert.equal(messageOf(none), "realmwatch: web9 does not exist in any realm");
  const program = await client.command("setProgramNotifications", { enabled: true });
  assert.equal(messageOf(program), "realmwatch: URL is an aggregator: -target-realm is required, one of fra, nyc");
  const moon = (await openCentre(t, "moon")).client;
  for (const answer of [
    await moon.command("scheduleCheck", { target: targetOf("db1") }),
    await moon.query("listHistory", { realm: moon.realm }),
  ])
    assert.equal(messageOf(answer), 'realmwatch: URL has no realm "moon"; it has fra, nyc');
  assert.deepEqual(calls, []);
});

test("a command on a selection is executed in every realm with a match", async (t) => {
  const { client, executed } = await openCentre(t);
  const answer = await client.command("scheduleDowntime", { target: targetOf(undefined, "env=prod"), comment: "x" });
  assert.deepEqual(answer.ok && answer.value.downtimeIds, ["d1", "d2"]);
  assert.deepEqual([executed[0]?.selector, executed[0]?.command.case], ["env=prod", "scheduleDowntime"]);
  assert.match(executed[0]?.requestId ?? "", /^[0-9a-z]{17}$/);
  const partly = await client.command("scheduleCheck", { target: targetOf(undefined, "env") });
  assert.equal(
    messageOf(partly),
    "realmwatch: realm fra: accepted for 2 objects\nrealmwatch: realm nyc: it is unreachable (unavailable)",
  );
});
