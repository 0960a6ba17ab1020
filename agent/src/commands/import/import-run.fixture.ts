import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, type TestContext } from "node:test";
import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import { defaultLimits, openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { ok } from "@realmwatch/shared/model/result";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { runSubCommand } from "../run-sub-command.fixture.ts";
import type { ImportItem } from "./import-report.ts";
import { formatPlainCue } from "./plain-cue.fixture.ts";

/** Files of another system's configuration, by path below one folder. */
export type SourceFiles = Readonly<Record<string, string>>;

/** Result of an import. In its texts the folder of the sources is `DIR`, in its lines it is left out. */
export type Imported = {
  readonly code: number;
  readonly lines: readonly string[];
  /** The document as it was written, what it stands for, and the text of that; empty when the import failed. */
  readonly written: string;
  readonly document: object;
  readonly cue: string;
  readonly items: readonly ImportItem[];
};

/** Evaluates the documents of all tests of a file: starting it takes longer than they do. */
const loader = openLoader(systemClock);
after(() => loader.close());

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
  if (code === 1 || code === 2) return { code, lines, written: "", document: {}, cue: "", items: [] };
  const loaded = await loader.document({
    source: { kind: "path", path: out },
    compile: (json) => ok(json as object),
    // Also a document of 100 000 objects on a machine with other tests.
    limits: { ...defaultLimits, timeoutMs: 240_000 },
  });
  assert.deepEqual(loaded.ok ? [] : loaded.error.map(formatDiagnostic), []);
  const document = loaded.ok ? loaded.value.value : {};
  const compiled = compilePlan(document, { realm: "default", localZone: "UTC" });
  assert.deepEqual(compiled.ok ? [] : compiled.error, []);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  const written = readFileSync(out, "utf8").replaceAll(folder, "DIR");
  const cue = formatPlainCue(inOrder(document)).replaceAll(folder, "DIR");
  return { code, lines, written, document, cue, items: JSON.parse(readFileSync(report, "utf8")) };
}

/** Fields that come first, also where a definition has the others. */
const firstFields = [
  "type",
  "address",
  "parents",
  "labels",
  "vars",
  "command",
  "args",
  "url",
  "host",
  "server",
  "name",
];

/** The document with the fields of hosts and services in one order, whatever definitions they come from. */
function inOrder(document: object): object {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const rank = (name: string): number => (firstFields.indexOf(name) + 1 || 99) + Number(name === "services");
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => rank(a) - rank(b))
        .map(([name, field]) => [name, sorted(field)]),
    );
  };
  const hosts = Object.entries((document as { hosts: object }).hosts).map(([name, host]) => [name, sorted(host)]);
  return { ...document, hosts: Object.fromEntries(hosts) };
}
