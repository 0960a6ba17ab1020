import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type LoadOptions, openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { residentBytesOfTree } from "@realmwatch/shared/platform/cue/engine/resident-memory";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { isRunning } from "@realmwatch/shared/platform/testing/is-running.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { tempFolder } from "../run/processes.ts";
import { cueScript, installedCue, needsCue } from "./cue-programs.ts";

const loader = openLoader(systemClock);
after(() => loader.close());

const mib = 2 ** 20;
const hungry = 'import "list"\nl: [for i in list.Range(0, 5000000, 1) {"x\\(i)"}]\nhosts: {}\n';

/** Diagnostics of a document that needs much memory. */
async function diagnosticsWith(memoryMib: number, program?: { path: string; version: string }): Promise<string[]> {
  const evaluator: LoadOptions["evaluator"] = program && { program, documentFolder: undefined };
  const loaded = await loader.plan({
    source: { kind: "text", name: "a.cue", text: hungry },
    options: { realm: "default", localZone: "UTC" },
    limits: { timeoutMs: 300_000, memoryBytes: memoryMib * mib, areFlags: true },
    evaluator,
  });
  return loaded.ok ? [] : loaded.error.map(formatDiagnostic);
}

const tooMuch = "a.cue:1:1: evaluation needs more than the 100 MiB of memory it may take: raise -config-memory";

test("[RL28] too much memory for the CUE inside is one diagnostic", async () => {
  assert.deepEqual(await diagnosticsWith(100), [tooMuch]);
});

test("[RL28] too much memory for an installed cue is one diagnostic", needsCue, async () => {
  assert.deepEqual(await diagnosticsWith(100, installedCue.ok ? installedCue.value : undefined), [tooMuch]);
});

test("[RL17, RL28] the memory of a program that cue starts counts, and that program is ended too", async (t) => {
  const folder = tempFolder(t);
  const eater = join(folder, "eater.mjs");
  writeFileSync(
    eater,
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(join(folder, "pid"))}, String(process.pid));
writeFileSync(${JSON.stringify(join(folder, "soft-limit"))}, process.env.GOMEMLIMIT + " " + process.env.HOME);
const kept = Buffer.alloc(${200 * mib}, 1);
setInterval(() => kept, 1_000);\n`,
  );
  const path = cueScript(folder, "eats", `"${process.execPath}" "${eater}" & wait`);
  assert.deepEqual(await diagnosticsWith(100, { path, version: "0.9.0" }), [tooMuch]);
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  await until("the end of the program's child", () => !isRunning(pid));
  const [softLimit, home = ""] = readFileSync(join(folder, "soft-limit"), "utf8").split(" ");
  assert.equal(Number(softLimit), 90 * mib);
  assert.equal(existsSync(home), false);
});

test("[RL28] too much output of an installed cue is one diagnostic", async (t) => {
  const path = cueScript(tempFolder(t), "prints", "exec yes too many words for a document");
  assert.deepEqual(await diagnosticsWith(1_000, { path, version: "0.9.0" }), [
    "a.cue:1:1: cue printed more than 256 MiB",
  ]);
});

test("resident memory is that of a process that runs, and 0 for one that does not", () => {
  assert.ok(residentBytesOfTree(process.pid) >= process.memoryUsage.rss() / 2);
  assert.equal(residentBytesOfTree(2 ** 30), 0);
});
