import { spawnSync } from "node:child_process";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { ExportLogsServiceRequestSchema } from "@realmwatch/proto/opentelemetry/proto/collector/logs/v1/logs_service_pb";
import { ExportMetricsServiceRequestSchema } from "@realmwatch/proto/opentelemetry/proto/collector/metrics/v1/metrics_service_pb";
import type { KeyValue } from "@realmwatch/proto/opentelemetry/proto/common/v1/common_pb";
import {
  type SpawnedServer,
  startClickHouseServer,
  startPrometheusServer,
} from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import S3rver from "s3rver";
import { tempFolder } from "./processes.ts";

/** True when a program of an optional Debian package is installed; tests that use it are skipped otherwise. */
export const isInstalled = (program: string): boolean =>
  spawnSync("/bin/sh", ["-c", `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0;

/** Starts a Prometheus with its receiver for remote write; arguments as for `startPrometheusServer`. */
export async function startPrometheus(
  scope: TestScope,
  ...more: Parameters<typeof startPrometheusServer>
): Promise<SpawnedServer> {
  const server = await startPrometheusServer(...more);
  atEnd(scope, () => server[Symbol.asyncDispose]());
  return server;
}

/** Starts a ClickHouse server. */
export async function startClickHouse(scope: TestScope): Promise<SpawnedServer> {
  const server = await startClickHouseServer();
  atEnd(scope, () => server[Symbol.asyncDispose]());
  return server;
}

/** Number that a PromQL expression has now; NaN when it has no value. */
export async function promValue(base: string, query: string): Promise<number> {
  const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as { data?: { result?: { value: [number, string] }[] } };
  return Number(data?.result?.[0]?.value[1] ?? Number.NaN);
}

/** All samples of the series that a PromQL selector matches in the last hour, as `[labels, [time s, value][]]`. */
export async function promSamples(base: string, selector: string) {
  const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(`${selector}[1h]`)}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
  };
  return data.result;
}

/** Rows of a query of ClickHouse. */
export async function clickHouseRows(base: string, query: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${base}/?query=${encodeURIComponent(`${query} FORMAT JSONEachRow`)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text.slice(0, 500));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Starts an S3 server with one empty bucket. `env`: variables with which clients reach it. */
export async function startS3(scope: TestScope, bucket: string) {
  const server = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: tempFolder(scope, "s3") },
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  atEnd(scope, () => server.close());
  const url = `http://127.0.0.1:${port}`;
  const env = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
  return {
    env,
    /** Keys of the bucket's objects, sorted. */
    async keys(): Promise<string[]> {
      const text = await (await fetch(`${url}/${bucket}?list-type=2`)).text();
      return [...text.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key as string).sort();
    },
    text: async (key: string): Promise<string> => (await fetch(`${url}/${bucket}/${key}`)).text(),
  };
}

/** Starts an HTTP server on a free port; returns its URL. */
export async function startHttp(scope: TestScope, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type OtlpPoint = {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly value: number | undefined;
};

const textsOf = (attributes: readonly KeyValue[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(value?.value.value ?? "")]));

/** Starts a receiver of OTLP over HTTP that decodes with the official messages. */
export async function startOtlp(scope: TestScope) {
  const points: OtlpPoint[] = [];
  const logs: { readonly body: string; readonly attributes: Readonly<Record<string, string>> }[] = [];
  const url = await startHttp(scope, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (request.url === "/v1/metrics")
      for (const { scopeMetrics } of fromBinary(ExportMetricsServiceRequestSchema, bytes).resourceMetrics)
        for (const { metrics } of scopeMetrics)
          for (const { name, data } of metrics)
            for (const point of data.case === "gauge" || data.case === "sum" ? data.value.dataPoints : [])
              points.push({
                metric: name,
                attributes: textsOf(point.attributes),
                atMs: Number(point.timeUnixNano / 1_000_000n),
                value: point.value.case === "asDouble" ? point.value.value : undefined,
              });
    else if (request.url === "/v1/logs")
      for (const { scopeLogs } of fromBinary(ExportLogsServiceRequestSchema, bytes).resourceLogs)
        for (const { logRecords } of scopeLogs)
          for (const { body, attributes } of logRecords)
            logs.push({ body: String(body?.value.value), attributes: textsOf(attributes) });
    response.writeHead(request.url?.startsWith("/v1/") ? 200 : 404).end();
  });
  return { url, points, logs };
}
