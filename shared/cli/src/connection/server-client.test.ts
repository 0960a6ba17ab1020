import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { ServerClient } from "./server-client.ts";

/** A client of an agent that breaks the connections of the first `broken` commands after it has executed them. */
async function openClient(t: TestContext, broken: number) {
  const keys: (string | null)[] = [];
  const routes = connectNodeAdapter({
    routes: (router) =>
      router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }) }).service(CommandService, {
        addComment(_, { requestHeader }) {
          keys.push(requestHeader.get("idempotency-key"));
          return { commentId: "c1" };
        },
      }),
  });
  const server = createServer((request, response) => {
    if (request.url?.endsWith("AddComment") && keys.length < broken)
      response.writeHead = () => response.destroy() as never;
    routes(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const flags = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, author: "ann" };
  const client = new ServerClient({
    flags: { ...flags, token: undefined, targetRealm: undefined },
    loginName: () => "ann",
  });
  return { client, keys };
}

test("[FD31] a command has a key of its own, and is sent again with it when the connection is lost", async (t) => {
  const { client, keys } = await openClient(t, 1);
  for (let n = 0; n < 2; n++) assert.equal((await client.command("addComment", { text: "x" })).ok, true);
  assert.equal(keys.length, 3);
  assert.match(keys[0] ?? "", /^[0-9a-z]{17}$/);
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[1], keys[2]);
});

test("[FD31] a command whose connection is lost twice fails", async (t) => {
  const { client, keys } = await openClient(t, 2);
  const answer = await client.command("addComment", { text: "x" });
  assert.match(answer.ok ? "" : (answer.error.lines[0] ?? ""), /cannot be reached|did not answer/);
  assert.equal(keys.length, 2);
});
