import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { loadPlan } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { runSubCommand } from "../run-sub-command.fixture.ts";
import type { ImportItem } from "./import-report.ts";

/** Files of another system's configuration, by path below one folder. */
export type SourceFiles = Readonly<Record<string, string>>;

/** Result of an import. In its texts the folder of the sources is `DIR`, in its lines it is left out. */
export type Imported = {
  readonly code: number;
  readonly lines: readonly string[];
  /** Document; empty when the import failed. */
  readonly cue: string;
  readonly items: readonly ImportItem[];
};

/** Writes files to a folder that is deleted after the test. */
export function writeSources(t: TestContext, files: SourceFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Runs an import into `folder`, and checks that the result is a document which the programs accept. */
export async function runImport(command: SubCommand, folder: string, args: readonly string[]): Promise<Imported> {
  const [out, report] = [join(folder, "out.cue"), join(folder, "report.json")];
  const { code, stdout, stderr } = await runSubCommand(command, [...args, "-out", out, "-report", report]);
  const lines = (stdout + stderr).replaceAll(`${folder}/`, "").split("\n");
  if (code === 1 || code === 2) return { code, lines, cue: "", items: [] };
  const loaded = await loadPlan({
    source: { kind: "path", path: out },
    options: { realm: "default", localZone: "UTC" },
    clock: systemClock,
  });
  assert.deepEqual(loaded.ok ? [] : loaded.error.map(formatDiagnostic), []);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  const cue = readFileSync(out, "utf8").replaceAll(folder, "DIR");
  return { code, lines, cue, items: JSON.parse(readFileSync(report, "utf8")) };
}
