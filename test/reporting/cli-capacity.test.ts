import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { outputOf, runRealmwatch } from "../run/cli.ts";
import { startTcpTarget, startTestAgent } from "../run/processes.ts";
import { smallRealm } from "../run/small-realm.ts";

type Resource = { readonly name: string; readonly used: number; readonly limit: number; readonly level: string };

test("[CP1] [CP2] [CP3] the capacity of a running agent", async (t) => {
  const target = await startTcpTarget(t);
  const agent = await startTestAgent(t, {
    config: smallRealm(target.address),
    flags: { "max-concurrent-checks": 20 },
  });
  const env = { REALMWATCH_SERVER: agent.base, NO_COLOR: "1" };

  const report = JSON.parse(await outputOf(["capacity", "-for", "3s", "-o", "json"], env));
  const resources: Resource[] = report.resources;
  const find = (name: string): Resource | undefined => resources.find((resource) => resource.name === name);
  assert.deepEqual([report.server, report.objects], [agent.base, 3]);
  assert.ok(report.checksPerSecond > 0, `${report.checksPerSecond} checks per second`);
  assert.ok(report.maxChecksPerSecond > report.checksPerSecond);
  assert.ok(report.processorCores > 0);
  assert.equal(find("check slots")?.limit, 20);
  assert.equal(find("command queue")?.limit, 10_000);
  assert.ok((find("disk of the data directory")?.used ?? 0) > 0);
  const byShare = resources.map(({ used, limit }) => used / limit);
  assert.deepEqual(
    byShare,
    [...byShare].sort((a, b) => b - a),
  );

  const table = await outputOf(["capacity", "-for=1s"], env);
  assert.match(table, /^RESOURCE +USED +LIMIT +SHARE +STATE\n/);
  assert.match(table, /\n\n3 objects; [\d.]+ checks per second.*; [\d.]+ cores in use; tightest: .+, [\d.]+ %\n$/);
  const lines = (await outputOf(["capacity", "-for=1s", "-o", "ndjson"], env)).trim().split("\n");
  assert.ok(lines.some((line) => (JSON.parse(line) as Resource).name === "check slots"));
});

test("[CP4] a server without these metrics is a failure, and an invalid time wrong usage", async (t) => {
  const foreign = createServer((_, response) => response.end("up 1\n"));
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => void foreign.close());
  const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  const other = await runRealmwatch(["capacity", "-server", url]);
  assert.deepEqual([other.code, other.stdout], [1, ""]);
  assert.match(other.stderr, /\/metrics has no metrics of realmwatch: is -server right\?\n$/);
  const none = `http://127.0.0.1:${await freePort()}`;
  const away = await runRealmwatch(["capacity", "-server", none]);
  assert.deepEqual([away.code, away.stderr], [1, `realmwatch: ${none}/metrics cannot be read: ECONNREFUSED\n`]);
  for (const text of ["soon", "10ms", "2h"]) {
    const wrong = await runRealmwatch(["capacity", "-for", text]);
    assert.equal(wrong.code, 2, text);
    assert.match(wrong.stderr, /^realmwatch: -for: [^\n]+\n$/);
  }
});
