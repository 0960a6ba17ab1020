// Runs benchmarks and prints, for each measurement, the median and the spread of all runs.
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { filesOf, root } from "../architecture/sources.ts";
import { type BenchRun, figuresOf, pairRuns, spreadOfRuns } from "./runner/figure.ts";
import { type FiguresPart, type FiguresReport, figuresPage, partLines } from "./runner/figures-page.ts";
import { findVersions, machineText } from "./runner/machine.ts";
import { buildRevision } from "./runner/other-build.ts";
import { runBenchFile } from "./runner/run-bench.ts";

const usage = `Usage: npm run bench -- [--quick] [--runs N] [--page] [--compare REV] [NAME…]

  NAME           runs only the files with this word in their path
  --quick        smaller sizes, and two runs
  --runs N       number of runs; default 5
  --page         writes docs/figures.md also for some files
  --compare REV  builds REV in a temporary folder and measures both builds in turn

Without NAME and --compare, docs/figures.md is written after each run. All values are written to .demo/figures.json.`;

type Runs = { readonly rows: BenchRun[]; readonly failures: Set<string> };

const { values, positionals } = readArguments();

const nameOf = (file: string): string => file.replace(/^test\/bench\/|\.ts$/g, "");

const files = filesOf("test/bench/{!(run|process-tree|bench-*),!(runner|peers)/!(bench-*)}.ts").filter(
  (file) => positionals.length === 0 || positionals.some((part) => nameOf(file).includes(part)),
);
const runs = Number(values.runs ?? (values.quick ? 2 : 5));
const started = new Date();
const { versions, missing } = findVersions();
/** Load averages before each part. */
const loads: number[] = [];

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        runs: { type: "string" },
        compare: { type: "string" },
        page: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}

/** Runs one file and adds what it found; `failures` keeps the first line of each failure. */
async function measure(file: string, folder: string, { rows, failures }: Runs): Promise<void> {
  loads.push(loadavg()[0] ?? 0);
  const startedMs = performance.now();
  const found = await runBenchFile(file, { folder, quick: values.quick });
  console.log(`  ${nameOf(file)}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  rows.push(found.rows);
  for (const failure of found.failures) {
    console.error(failure);
    failures.add(`run ${rows.length}: ${failure.split("\n")[0] ?? ""}`.replaceAll(`${folder}/`, ""));
  }
}

/**
 * All runs of this build: each run is one of every file, so that the spread shows how the machine changes meanwhile. What
 * was found so far is written after each of them, so that a long command that is interrupted is not lost.
 */
async function measureAll(): Promise<readonly FiguresPart[]> {
  const found = new Map(files.map((file): [string, Runs] => [file, { rows: [], failures: new Set() }]));
  let parts: readonly FiguresPart[] = [];
  for (let run = 1; run <= runs; run += 1) {
    console.log(`run ${run} of ${runs}`);
    for (const [file, part] of found) await measure(file, root, part);
    parts = [...found].map(([file, { rows, failures }]) => ({
      ...{ name: nameOf(file), figures: figuresOf(rows), failures: [...failures] },
    }));
    writeReport(parts, run);
  }
  return parts;
}

/** Runs of this build and of another one, in turn. */
async function compare(revision: string): Promise<readonly FiguresPart[]> {
  const other = buildRevision(revision);
  const parts: FiguresPart[] = [];
  for (const file of files) {
    const [here, there]: [Runs, Runs] = [
      { rows: [], failures: new Set() },
      { rows: [], failures: new Set() },
    ];
    for (let run = 1; run <= runs; run += 1) {
      console.log(`pair ${run} of ${runs}`);
      await measure(file, other, there);
      await measure(file, root, here);
    }
    const pairs = here.rows.map((rows, at) => ({ here: rows, there: there.rows[at] ?? [] }));
    const failures = [...here.failures, ...[...there.failures].map((failure) => `${revision}: ${failure}`)];
    parts.push({ name: nameOf(file), figures: figuresOf(pairRuns(pairs)), failures });
  }
  writeReport(parts, runs);
  return parts;
}

/** Writes all values, and the page when every file was measured. */
function writeReport(parts: readonly FiguresPart[], done: number): void {
  const report: FiguresReport = {
    date: started.toISOString().slice(0, 10),
    command: ["npm run bench", process.argv.slice(2).join(" ")].filter(Boolean).join(" -- "),
    ...{ runs: done, quick: values.quick, machine: machineText(), versions, missing },
    ...{ load: spreadOfRuns(loads), parts },
  };
  mkdirSync(join(root, ".demo"), { recursive: true });
  writeFileSync(join(root, ".demo/figures.json"), `${JSON.stringify(report, null, 2)}\n`);
  if ((positionals.length === 0 || values.page) && values.compare === undefined)
    writeFileSync(join(root, "docs/figures.md"), figuresPage(report));
}

if (values.help || files.length === 0 || !(runs >= 1)) {
  console.log(files.length === 0 ? `no benchmark has "${positionals.join('" or "')}" in its path\n${usage}` : usage);
  process.exit(values.help ? 0 : 2);
}
// Exits instead of dying, so that what was started is ended.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
console.log(machineText());
for (const [name, version] of Object.entries(versions)) console.log(`  ${name} ${version}`);
for (const name of missing) console.log(`  ${name} is not installed: comparisons with it are left out`);
const parts = values.compare === undefined ? await measureAll() : await compare(values.compare);
for (const part of parts) for (const line of partLines(part)) console.log(line);
process.exit(parts.some(({ failures }) => failures.length > 0) ? 1 : 0);
