import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { root } from "../architecture/sources.ts";
import { startTestAgent } from "../run/processes.ts";
import { serviceTarget, statusRows } from "../run/rows.ts";

const run = promisify(execFile);

const document = `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: job: check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
}
`;

/** Client of another gRPC library than the server's, generated from the proto files. */
function grpcClient(service: string, file: string, address: string) {
  const definition = loadSync(join(root, "proto/svc/v1", file), { includeDirs: [join(root, "proto")], enums: String });
  const names = loadPackageDefinition(definition) as unknown as {
    svc: { v1: Record<string, ServiceClientConstructor> };
  };
  const Client = names.svc.v1[service];
  assert.ok(Client);
  const client = new Client(address, credentials.createInsecure());
  const call = (method: string, request: object) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const method_ = client[method] as (
        request: object,
        done: (error: Error | null, answer: Record<string, unknown>) => void,
      ) => void;
      method_.call(client, request, (error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  return { call, close: () => client.close() };
}

test("[IN4] one port serves gRPC to another library's client and JSON to curl over HTTP/1.1 and HTTP/2", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const address = `127.0.0.1:${agent.port}`;
  const commands = grpcClient("CommandService", "command.proto", address);
  const queries = grpcClient("QueryService", "query.proto", address);
  atEnd(t, () => {
    commands.close();
    queries.close();
  });

  const { object } = serviceTarget("web1", "job");
  await commands.call("ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "by gRPC" });
  await until("the result", async () => (await statusRows(agent.base))["web1!job"]?.output === "by gRPC");
  const { rows } = (await queries.call("ListStatus", { problemsOnly: true })) as { rows: { status: string }[] };
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["STATUS_CRITICAL"],
  );
  await assert.rejects(
    commands.call("ProcessCheckResult", { object }),
    (error: Error & { code: number }) => error.code === 3 && /status/.test(error.message),
  );
  await assert.rejects(
    commands.call("DeleteComment", { commentId: "nope" }),
    (error: Error & { code: number }) => error.code === 5,
  );

  const url = `${agent.base}/svc.v1.QueryService/ListStatus`;
  const curl = async (version: string) => {
    const { stdout } = await run("curl", [
      "-sS",
      version,
      "-H",
      "content-type: application/json",
      "-d",
      `{"problemsOnly":true}`,
      url,
    ]);
    return (JSON.parse(stdout) as { rows: { object: unknown; status: string }[] }).rows;
  };
  for (const version of ["--http1.1", "--http2-prior-knowledge"])
    assert.deepEqual(
      (await curl(version)).map((row) => [row.object, row.status]),
      [[object, "STATUS_CRITICAL"]],
      version,
    );
});
