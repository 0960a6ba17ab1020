import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as AlphaServerReflection } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openDescribed } from "./test-server.ts";

const transports = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" }),
};
for (const [name, open] of Object.entries(transports))
  test(`[PT2] ${name}: health reports the readiness of the program and of each service`, async (t) => {
    const { base, state } = await openDescribed(t);
    const client = createClient(Health, open(base));
    for (const service of ["", "svc.v1.QueryService"])
      assert.equal((await client.check({ service })).status, Status.SERVING);
    const unknown = await client.check({ service: "svc.v1.AdminService" }).catch(ConnectError.from);
    assert.ok(unknown instanceof ConnectError && unknown.code === Code.NotFound);
    state.ready = false;
    const { statuses } = await client.list({});
    assert.deepEqual(Object.keys(statuses).sort(), ["", "svc.v1.CommandService", "svc.v1.QueryService"]);
    assert.ok(Object.values(statuses).every(({ status }) => status === Status.NOT_SERVING));
  });

test("[PT2] Watch sends a status at once and after a change, and ends when the program stops", async (t) => {
  const { base, server, state, ended } = await openDescribed(t);
  const client = createClient(Health, createGrpcTransport({ baseUrl: base }));
  const seen: Status[] = [];
  let failure: ConnectError | undefined;
  const watching = (async () => {
    for await (const { status } of client.watch({ service: "svc.v1.QueryService" })) seen.push(status);
  })().catch((error) => {
    failure = ConnectError.from(error);
  });
  await until("the first status", () => seen.length === 1, {});
  state.ready = false;
  await until("the change", () => seen.length === 2, {});
  await server.close(10_000);
  await watching;
  assert.deepEqual([seen, failure?.code], [[Status.SERVING, Status.NOT_SERVING], Code.Unavailable]);
  assert.equal(ended.length, 1);
  const unknown = await openDescribed(t);
  const other = createClient(Health, createGrpcTransport({ baseUrl: unknown.base }));
  const leaving = new AbortController();
  await assert.rejects(async () => {
    for await (const { status } of other.watch({ service: "nope" }, { signal: leaving.signal })) {
      assert.equal(status, Status.SERVICE_UNKNOWN);
      leaving.abort();
    }
  });
  await until("the call ends with its client", () => unknown.ended.length === 1, {});
});

for (const [version, service] of [
  ["v1", ServerReflection],
  ["v1alpha", AlphaServerReflection],
] as const)
  test(`[PT2] reflection ${version} lists the services and returns files with all that they import`, async (t) => {
    const { base } = await openDescribed(t);
    const client = createClient(service as typeof ServerReflection, createGrpcTransport({ baseUrl: base }));
    const next = Promise.withResolvers<void>();
    async function* requests() {
      yield { messageRequest: { case: "listServices" as const, value: "*" } };
      // The second request waits for the first answer, as grpcurl does on one stream.
      await next.promise;
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: "svc.v1.QueryService.ListStatus" } };
      yield { messageRequest: { case: "fileByFilename" as const, value: "google/protobuf/timestamp.proto" } };
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: "svc.v1.Nope" } };
      yield { messageRequest: { case: "allExtensionNumbersOfType" as const, value: "svc.v1.StatusRow" } };
      yield { messageRequest: { case: undefined } };
    }
    const answers = [];
    for await (const answer of client.serverReflectionInfo(requests())) {
      answers.push(answer.messageResponse);
      next.resolve();
    }
    const [list, file, timestamp, unknown, extensions, empty] = answers;
    assert.ok(list?.case === "listServicesResponse");
    assert.deepEqual(
      list.value.service.map(({ name }) => name),
      [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
        "svc.v1.CommandService",
        "svc.v1.QueryService",
      ],
    );
    assert.ok(file?.case === "fileDescriptorResponse");
    const files = file.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
    assert.equal(files[0], "svc/v1/query.proto");
    assert.ok(files.includes("svc/v1/common.proto") && files.includes("google/protobuf/timestamp.proto"));
    assert.equal(timestamp?.case, "fileDescriptorResponse");
    assert.ok(unknown?.case === "errorResponse" && unknown.value.errorCode === Code.NotFound);
    assert.equal(extensions?.case, "allExtensionNumbersResponse");
    assert.ok(empty?.case === "errorResponse" && empty.value.errorCode === Code.InvalidArgument);
  });

test("[PT2] the stream of a reflection client that says nothing delays no stop", async (t) => {
  const { base, server, ended } = await openDescribed(t);
  const session = connect(base);
  session.on("error", () => {});
  atEnd(t, () => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  stream.resume();
  stream.write(Buffer.from([0, 0, 0, 0, 0]));
  await once(stream, "response");
  // The stop would wait for an hour, beyond the limit of a test, if it waited for the client.
  await server.close(3_600_000);
  assert.equal(ended[0]?.error?.code, Code.Unavailable);
});
