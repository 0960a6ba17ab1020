import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent, type TestProgram } from "../../run/processes.ts";
import { type JsonRow, serviceTarget, statusRows } from "../../run/rows.ts";
import { jobLine } from "../../run/small-realm.ts";

const config = `hosts: web1: {\naddress: "a"\ncheck: {type: "passive", freshness_threshold: "1h", flap: {}}\nservices: ${jobLine}\n}\n`;
const apiToken = "an-api-token-0123456789abcdefghij";
const target = serviceTarget("web1", "job");

type Sent = { readonly rpc: string; readonly request: object; readonly headers?: Readonly<Record<string, string>> };

/** Status of a command that the page of a host sends to that host; `fetch` would not let the test set `Host`. */
async function fromPage({ port }: TestProgram, host: string, { rpc, request, headers = {} }: Sent): Promise<number> {
  const sent = httpRequest({
    host: "127.0.0.1",
    port,
    path: `/svc.v1.CommandService/${rpc}`,
    method: "POST",
    headers: {
      host,
      origin: `http://${host}`,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      ...headers,
    },
    agent: false,
  });
  sent.end(JSON.stringify(request));
  const [response] = await once(sent, "response");
  await text(response);
  return response.statusCode;
}

/** The same over HTTP/2. */
async function fromPageByHttp2({ base }: TestProgram, host: string, { rpc, request }: Sent): Promise<number> {
  const session = connect(base);
  try {
    const stream = session.request({
      ":method": "POST",
      ":path": `/svc.v1.CommandService/${rpc}`,
      ":authority": host,
      origin: `http://${host}`,
      "content-type": "application/json",
    });
    stream.end(JSON.stringify(request));
    const [head] = await once(stream, "response");
    await text(stream);
    return head[":status"];
  } finally {
    session.close();
  }
}

test("[PT5] a command from the page of a rebound host is refused and has no effect, with an API token too", async (t) => {
  const agent = await startTestAgent(t, { config });
  const job = async (): Promise<JsonRow | undefined> => (await statusRows(agent.base))["web1!job"];
  const rebound = ["evil.example", `evil.example:${agent.port}`];
  const own = `127.0.0.1:${agent.port}`;
  const refuse = async (sent: Sent): Promise<void> => {
    for (const host of rebound) {
      assert.equal(await fromPage(agent, host, sent), 403, host);
      assert.equal(await fromPageByHttp2(agent, host, sent), 403, host);
    }
  };
  const result = (status: string, output: string): Sent => ({
    rpc: "ProcessCheckResult",
    request: { ...target, status, output },
  });
  const acknowledgement: Sent = { rpc: "AcknowledgeProblem", request: { target, author: "eve", comment: "rebound" } };
  const comment: Sent = { rpc: "AddComment", request: { target, author: "ann", text: "own" } };

  await refuse(result("STATUS_CRITICAL", "rebound"));
  // Commands take effect in their order, so the effect of a refused one would show before that of an accepted one.
  assert.equal(await fromPage(agent, own, comment), 200);
  await until("the comment", async () => (await job())?.comments?.length === 1);
  assert.equal((await job())?.status, "STATUS_PENDING");
  assert.equal(await fromPage(agent, own, result("STATUS_WARNING", "own")), 200);
  await until("the result", async () => (await job())?.status === "STATUS_WARNING");

  await refuse(acknowledgement);
  assert.equal(await fromPageByHttp2(agent, own, comment), 200);
  await until("the second comment", async () => (await job())?.comments?.length === 2);
  assert.equal((await job())?.acknowledgement, undefined);
  assert.equal(await fromPage(agent, own, acknowledgement), 200);
  await until("the acknowledgement", async () => (await job())?.acknowledgement !== undefined);

  await agent.restart({ "api-token": apiToken });
  const headers = { authorization: `Bearer ${apiToken}` };
  const late = { ...result("STATUS_OK", "rebound"), headers };
  for (const host of rebound) assert.equal(await fromPage(agent, host, late), 403, host);
  assert.equal(await fromPage(agent, own, { ...comment, headers }), 200);
  await until("the third comment", async () => (await job())?.comments?.length === 3);
  assert.deepEqual([(await job())?.status, (await job())?.output], ["STATUS_WARNING", "own"]);
});
