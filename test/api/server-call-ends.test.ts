import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, type ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openTestServer } from "./test-server.ts";

const transports = {
  "Connect over HTTP/1.1": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect over HTTP/2": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
};

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: a call ends when its caller disconnects, and its signal is aborted`, async (t) => {
    const { base, ended, signals } = await openTestServer(t);
    const client = createClient(QueryService, transport(base));
    const going = new AbortController();
    const call = client.listStatus({ search: "hang" }, { signal: going.signal }).catch(() => "canceled");
    await until("the call runs", () => signals.length === 1);
    assert.equal(signals[0]?.aborted, false);
    going.abort();
    assert.equal(await call, "canceled");
    await until("the call ended", () => ended.length === 1);
    assert.equal(ended[0]?.error?.code, Code.Canceled);
    assert.equal(signals[0]?.reason, ended[0]?.error);
  });

  test(`${name}: a call that succeeds ends once, without an abort`, async (t) => {
    const { base, ended, signals } = await openTestServer(t);
    const client = createClient(QueryService, transport(base));
    await client.listStatus({ search: "one" });
    await client.listStatus({ search: "two" });
    assert.deepEqual(
      ended.map(({ error, handlerCalled }) => [error, handlerCalled]),
      [
        [undefined, true],
        [undefined, true],
      ],
    );
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false],
    );
  });

  test(`[IN10] ${name}: the caller's deadline ends a hanging call, and its signal is aborted`, async (t) => {
    const { base, ended, signals } = await openTestServer(t);
    const client = createClient(QueryService, transport(base));
    const error = await client
      .listStatus({ search: "hang" }, { timeoutMs: 300 })
      .catch((thrown: ConnectError) => thrown);
    assert.ok(error instanceof Error);
    assert.equal((error as ConnectError).code, Code.DeadlineExceeded);
    await until("the call ended", () => ended.length === 1);
    assert.equal(signals.length, ended[0]?.handlerCalled ? 1 : 0);
    for (const { aborted } of signals) assert.equal(aborted, true);
  });
}

test("a call with an expired deadline does not reach its implementation", async (t) => {
  const { base, ended, searched } = await openTestServer(t);
  const answer = await fetch(`${base}/svc.v1.QueryService/ListStatus`, {
    method: "POST",
    headers: { "content-type": "application/json", "connect-timeout-ms": "0" },
    body: "{}",
  });
  assert.deepEqual(await answer.json(), {
    code: "deadline_exceeded",
    message: "the call arrived after its deadline and was not executed",
  });
  assert.deepEqual([searched, ended.length, ended[0]?.error?.code], [[], 1, Code.DeadlineExceeded]);
});
