import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { before, test } from "node:test";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { uncompress } from "snappyjs";
import { openTestSinkHost, sinkFolder, sinkPlanOf } from "./sinks.fixture.ts";

type Inputs = readonly SinkPlan["input"][];
type Target = { readonly url: string; readonly folder: string };

/** Inputs that a document may give to each sink type, and the fields of its plan. */
const types: Readonly<
  Record<SinkPlan["type"], readonly [inputs: Inputs, fields: (target: Target) => Record<string, unknown>]>
> = {
  columnar_db: [["metrics", "events"], ({ url }) => ({ url, table: "t" })],
  remote_write: [["metrics", "events"], ({ url }) => ({ url, cursor: "" })],
  archive: [["events"], ({ folder }) => ({ url: `file://${folder}`, segmentBytes: 1_000_000 })],
  http: [["metrics", "events"], ({ url }) => ({ url, headers: {}, cursor: "" })],
  exec: [["metrics", "events"], ({ folder }) => ({ command: ["/bin/sh", "-c", `exec cat > ${folder}/x`], cursor: "" })],
  file: [["metrics", "events"], ({ folder }) => ({ path: `${folder}/x`, rotateBytes: 1_000_000, cursor: "" })],
  otlp: [["metrics", "events"], ({ url }) => ({ url, headers: {}, cursor: "" })],
};

const scope = fileScope();
/** Content of what was received at each path. */
const received = new Map<string, string>();
let base = "";

before(async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const isSnappy = request.headers["content-encoding"] === "snappy";
    const text = isSnappy ? Buffer.from(uncompress(new Uint8Array(bytes))) : bytes;
    const [, path = ""] = /^\/(\w+)/.exec(request.url ?? "") ?? [];
    received.set(path, `${received.get(path) ?? ""}${text}`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const filesIn = (folder: string): string =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        .join("")
    : "";

for (const [type, [inputs, fieldsOf]] of Object.entries(types))
  for (const input of inputs)
    test(`[SK24] a sink of type ${type} delivers ${input}`, async (t) => {
      const folder = sinkFolder(t);
      const path = `${type}_${input}`;
      const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
      const fields = fieldsOf({ url: `${base}/${path}`, folder });
      await host.configure(sinkPlanOf({ name: "s", type: type as SinkPlan["type"], input, ...fields }));
      if (input === "metrics") host.point(1);
      else host.event("down");
      const { counts } = await host.untilStatus("the entry is delivered", "s", (one) => one.counts.delivered === 1);
      assert.deepEqual([counts.dropped, counts.failed], [{}, {}]);
      await until("its object arrived", () => `${received.get(path)}${filesIn(folder)}`.includes("web1"));
    });
