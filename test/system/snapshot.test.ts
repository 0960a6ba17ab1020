import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
const config = `hosts: web1: {address: "a", ${passive}, services: http: ${passive}}
processes: shop: rule: ref: "web1!http"
`;

test("[DU4] a pipe in place of the snapshot is not replaced, and a link is replaced without being followed", async (t) => {
  const folder = tempFolder(t);
  const [pipe, link, victim] = ["pipe", "link", "victim"].map((name) => join(folder, name)) as [string, string, string];
  execFileSync("mkfifo", [pipe]);
  writeFileSync(victim, "keep");
  symlinkSync(victim, link);
  for (const path of [pipe, link]) {
    const flags = { "snapshot-out": path, "snapshot-interval": "50ms" };
    const agent = await startTestAgent(t, { config, realm: "fra", flags });
    if (path === pipe) await until("the refusal is logged", () => agent.output().includes("it is not a regular file"));
    else await until("the link is replaced", () => lstatSync(link).isFile());
    await agent.stop();
  }
  assert.ok(lstatSync(pipe).isFIFO());
  assert.equal(readFileSync(victim, "utf8"), "keep");
});

test("[DU4] a snapshot has every object as queries return it, and is complete at any time", async (t) => {
  const folder = tempFolder(t);
  const out = join(folder, "snapshot.json");
  const agent = await startTestAgent(t, {
    config,
    realm: "fra",
    flags: { "snapshot-out": out, "snapshot-interval": "50ms" },
  });
  type Snapshot = {
    version: number;
    realm: string;
    at: string;
    configHash: string;
    objects: Record<string, unknown>[];
  };
  const read = (): Snapshot => JSON.parse(readFileSync(out, "utf8")) as Snapshot;
  const report = { object: serviceTarget("web1", "http").object, status: "STATUS_CRITICAL", output: "down" };
  await sendCommand(agent.base, "ProcessCheckResult", report);
  const snapshot = await until("it is in the snapshot", async () => {
    const now = read();
    return now.objects.some(({ output }) => output === "down") && now;
  });
  assert.deepEqual([snapshot.version, snapshot.realm], [1, "fra"]);
  assert.ok(Math.abs(Date.parse(snapshot.at) - Date.now()) < 60_000);
  assert.notEqual(snapshot.configHash, "");
  assert.deepEqual(snapshot.objects.map(({ kind }) => kind).sort(), ["host", "process", "service"]);
  await until("as ListStatus returns it", async () => {
    const row = (await statusRows(agent.base))["web1!http"];
    const { kind: _, revision: __, ...kept } = read().objects.find(({ kind }) => kind === "service") ?? {};
    const { kind: ___, revision: ____, ...listed } = (row ?? {}) as Record<string, unknown>;
    return JSON.stringify(kept) === JSON.stringify(listed);
  });
  await until("a folder is in its place", async () => {
    rmSync(out, { recursive: true, force: true });
    try {
      mkdirSync(out);
      return true;
    } catch {
      // The agent has written the next one in the meantime.
      return false;
    }
  });
  await until("the failure is logged", () =>
    Promise.resolve(agent.output().includes("the snapshot cannot be written")),
  );
  rmSync(out, { recursive: true });
  await until("the snapshot is written again", () => Promise.resolve(readdirSync(folder).includes("snapshot.json")));
  await agent.stop();
  assert.deepEqual(readdirSync(folder), ["snapshot.json"], "no temporary file is left");
});
