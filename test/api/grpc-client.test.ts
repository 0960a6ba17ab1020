import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import {
  credentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { load } from "@grpc/proto-loader";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { root } from "../architecture/sources.ts";
import { openTestServer } from "./test-server.ts";

type Answer = { readonly error: ServiceError | null; readonly response: Record<string, unknown> | undefined };

/** Opens a client of grpc-js, Google's library for Node.js, which shares only the protos with the server. */
async function openClient(port: number, service: string) {
  const options = { includeDirs: [resolve(root, "proto")], longs: String, enums: String };
  const definition = await load(`svc/v1/${service === "QueryService" ? "query" : "realm"}.proto`, options);
  const { svc } = loadPackageDefinition(definition) as unknown as { svc: { v1: GrpcObject } };
  const Client = svc.v1[service] as ServiceClientConstructor;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = (method: string, request: object, deadlineMs = 10_000): Promise<Answer> =>
    new Promise((done) => {
      const deadline = new Date(Date.now() + deadlineMs);
      client[method]?.(
        request,
        new Metadata(),
        { deadline },
        (error: ServiceError | null, response: Answer["response"]) => done({ error, response }),
      );
    });
  return { call, close: () => client.close() };
}

test("grpc-js: the client receives responses, errors and deadlines", async (t) => {
  const { port } = await openTestServer(t);
  const { call, close } = await openClient(port, "QueryService");
  atEnd(t, close);
  assert.equal((await call("getServerInfo", {})).response?.version, "v1.2.3");
  assert.equal((await call("listStatus", { search: "grüße" })).response?.nextPageToken, "grüße");
  const many = await Promise.all(Array.from({ length: 300 }, (_, i) => call("listStatus", { search: `n${i}` })));
  assert.deepEqual(
    many.map((answer) => answer.response?.nextPageToken),
    many.map((_, i) => `n${i}`),
  );
  assert.equal((await call("listStatus", { search: "hang" }, 200)).error?.code, status.DEADLINE_EXCEEDED);
  assert.equal((await call("listStatus", { search: "x".repeat(2 << 20) })).error?.code, status.RESOURCE_EXHAUSTED);
  const bug = await call("listStatus", { search: "boom" });
  assert.deepEqual([bug.error?.code, bug.error?.details], [status.INTERNAL, "internal error"]);
  assert.equal((await call("listViews", {})).error?.code, status.UNIMPLEMENTED);
});

test("grpc-js: a service that is not mounted is unimplemented", async (t) => {
  const { port } = await openTestServer(t);
  const { call, close } = await openClient(port, "RealmBulkService");
  atEnd(t, close);
  assert.equal((await call("execute", {})).error?.code, status.UNIMPLEMENTED);
});
