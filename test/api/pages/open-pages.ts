import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type DependencyStatus, metricsPage, readyPage, verdictPage } from "@realmwatch/shared/api/probe-pages";
import { countRpcs } from "@realmwatch/shared/api/rpc/rpc-metrics";
import { loadStaticFiles } from "@realmwatch/shared/platform/http/static-files";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { openTestServer } from "../test-server.ts";

/** Text of a file that is large enough to be compressed. */
export const script = `export const answer = 42; // ${"long ".repeat(500)}`;

/** Opens a server with files, the pages of a program and one that throws; `state` is what its probes say. */
export async function openPages(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), "server-pages-"));
  atEnd(t, () => rm(dir, { recursive: true }));
  await mkdir(join(dir, "assets"));
  await mkdir(join(dir, ".git"));
  await writeFile(join(dir, "index.html"), "<!doctype html><title>Realmwatch</title>");
  await writeFile(join(dir, "assets/app-B0a8rT5x.js"), script);
  await writeFile(join(dir, "favicon.svg"), "<svg/>");
  await writeFile(join(dir, ".git/config"), "c4nary");
  await writeFile(join(dir, "..secret"), "c4nary");
  await symlink("/etc/passwd", join(dir, "passwd"));
  const files = await loadStaticFiles(dir);
  assert.ok(files.ok, JSON.stringify(files));
  const state = { alive: undefined as string | undefined, dependencies: [] as DependencyStatus[] };
  const metrics = openMetrics({ version: "dev", commit: "unknown" });
  atEnd(t, () => metrics.close());
  const boom = () => Promise.reject(new Error("a bug with a c4nary"));
  const pages = new Map([
    ["/healthz", verdictPage("ok", () => state.alive)],
    ["/readyz", readyPage(() => state.dependencies)],
    ["/metrics", metricsPage(metrics, systemClock)],
    ["/boom", boom],
  ]);
  const opened = await openTestServer(t, { files: files.value, pages, rpc: { onComplete: countRpcs(metrics) } });
  return { ...opened, state };
}
