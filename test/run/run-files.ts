// Runs test files with node:test, four at a time, and beside them the files that mostly wait. Prints a line for each
// file, failures in full, and at the end the files that need most processor time.
// Usage: node run-files.ts RESULT-FILE test|soak [PART-OF-A-PATH…]
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { filesOf, root } from "../architecture/sources.ts";
import { killIfThere, leftoversOf, runVariable } from "./leftovers.mjs";

const [resultFile = "", suffix = "test", ...parts] = process.argv.slice(2);
const files = filesOf(`**/*.${suffix}.ts`)
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort((one, other) => weightOf(other) - weightOf(one));

/** Order of a test file: tests that start programs take longest and run first, so that none of them runs last and alone. */
function weightOf(file: string): number {
  if (file.startsWith("test/architecture")) return 0;
  return file.startsWith("test/") ? 2 : 1;
}

/**
 * Files that wait for minutes and need little processor time, a third of one core. They start first and run beside the
 * others, one at a time, so that they take no turn of a file that computes and do not run last and alone.
 */
const waitingFiles: ReadonlySet<string> = new Set([
  "test/faults/federation/federation.test.ts",
  "test/faults/federation/nats-cluster.test.ts",
]);

type Tally = { passed: number; failed: number; skipped: number };
const all: Tally & { failures: string[] } = { passed: 0, failed: 0, skipped: 0, failures: [] };
const ofFile = new Map<string, Tally>();

// Tests start programs hundreds of times: the cache compiles each module once, also for later runs.
process.env["NODE_COMPILE_CACHE"] ??= join(root, ".demo", "compiled");
process.env["REALMWATCH_IS_BUILT"] = "true";
/** File to which each test file appends its path and its processor time in s. */
const timesFile = `${resultFile}.times`;
process.env["REALMWATCH_PROCESSOR_TIMES"] = timesFile;

const minuteMs = 60_000;
const testLimitMs = suffix === "soak" ? 700 * minuteMs : 6 * minuteMs;
/** Time after which the process of a file ends itself and names what keeps it alive. Twice that of the longest file. */
const fileLimitMs = suffix === "soak" ? 710 * minuteMs : 9 * minuteMs;
process.env["REALMWATCH_FILE_LIMIT_MS"] = String(fileLimitMs);

type FileGroup = { readonly files: readonly string[]; readonly concurrency: number };
const groups: readonly FileGroup[] = [
  // Suits two cores, since half of the tests mostly wait. With six at a time they are never idle, but a realm's heartbeats
  // come so late then that tests of what is reachable fail now and then.
  { files: files.filter((file) => !waitingFiles.has(file)), concurrency: 4 },
  { files: files.filter((file) => waitingFiles.has(file)), concurrency: 1 },
];

type Ended = {
  readonly name: string;
  readonly file?: string | undefined;
  /** File that was run; `file` is where the test is declared, which may be a contract that several files share. */
  readonly entryFile?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined; readonly error?: unknown };
};

type TestSummary = {
  readonly file?: string | undefined;
  readonly duration_ms: number;
  readonly success: boolean;
};

function count(ended: Ended, outcome: keyof Tally): void {
  const file = ended.entryFile ?? ended.file ?? "";
  const tally = ofFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
  tally[outcome]++;
  all[outcome]++;
  ofFile.set(file, tally);
}

const shortOf = (file: string | undefined): string => (file === undefined ? "?" : relative(root, file));

/** True for a test or suite that failed only because of a failure inside it, which is reported already. */
function isSubtestFailure({ error }: Ended["details"]): boolean {
  return error instanceof Error && "failureType" in error && error.failureType === "subtestsFailed";
}

/** Message of a failure; that of a file whose tests passed has the end of its process. */
function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const end = error instanceof Error && "exitCode" in error ? `, exit code ${error.exitCode}` : "";
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : `${cause}${end}`;
  return text.replaceAll(`file://${root}/`, "").replace(/\n +at .*node:internal.*/g, "");
}

function onPass(ended: Ended): void {
  if (ended.details.type === "suite") return;
  const isSkipped = (ended.skip ?? ended.todo ?? false) !== false;
  count(ended, isSkipped ? "skipped" : "passed");
  if (isSkipped) console.log(`skip  ${shortOf(ended.entryFile)}: ${ended.name} (${ended.skip ?? ended.todo})`);
}

function onFail(ended: Ended): void {
  if (isSubtestFailure(ended.details)) return;
  count(ended, "failed");
  const file = shortOf(ended.entryFile ?? ended.file);
  // A file that could not be loaded is reported as a test with its path as name.
  const where = ended.name === ended.file ? file : `${file}: ${ended.name}`;
  all.failures.push(where);
  console.log(`\nFAIL  ${where}\n${messageOf(ended.details.error)}\n`);
}

/** Timers by file that is running. */
const overdue = new Map<string, NodeJS.Timeout>();

type FileEvent = { readonly name: string; readonly file?: string | undefined; readonly entryFile?: string | undefined };
const isOfFile = ({ name, file, entryFile }: FileEvent): boolean => name === file && entryFile === undefined;

/** node:test waits without limit for a file whose process hangs, or whose output a program that it left holds open. */
function onStart(started: FileEvent): void {
  if (!isOfFile(started)) return;
  overdue.set(started.name, setTimeout(() => killFile(started.name), fileLimitMs + minuteMs).unref());
}

function onComplete(completed: FileEvent): void {
  if (isOfFile(completed)) clearTimeout(overdue.get(completed.name));
}

function killFile(file: string): void {
  const processes = leftoversOf(process.env[runVariable] ?? "");
  const orphans = processes.filter(({ parent, command }) => parent === 1 || command.includes(file));
  for (const { pid, command } of orphans) {
    console.log(`${shortOf(file)} has not ended; kills ${pid} …${command.slice(-120)}`);
    killIfThere(pid);
  }
  all.failed++;
  all.failures.push(`${shortOf(file)}: it ends by itself`);
}

async function runGroup({ files: ofGroup, concurrency }: FileGroup): Promise<void> {
  // Without files node:test would search for some.
  if (ofGroup.length === 0) return;
  const stream = run({
    files: ofGroup.map((file) => join(root, file)),
    concurrency,
    execArgv: [
      ...["--disable-warning=ExperimentalWarning", `--test-timeout=${testLimitMs}`],
      ...["--import", join(root, "test/run/file-process.ts")],
    ],
  });
  stream.on("test:pass", onPass);
  stream.on("test:fail", onFail);
  stream.on("test:stderr", ({ message }) => process.stderr.write(message));
  // An error after the end of its test fails the file; only its diagnostic names it.
  stream.on("test:diagnostic", ({ message }) => message.startsWith("Error: ") && console.log(message));
  // Soak tests print their results.
  if (suffix === "soak") stream.on("test:stdout", ({ message }) => process.stdout.write(message));
  stream.on("test:summary", onSummary);
  stream.on("test:dequeue", onStart);
  stream.on("test:complete", onComplete);
  stream.resume();
  await once(stream, "end");
}

function onSummary({ file, duration_ms, success }: TestSummary): void {
  if (file === undefined) return;
  const { passed, failed, skipped } = ofFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
  const notes = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`].filter(
    Boolean,
  );
  console.log(
    `${success ? "ok  " : "FAIL"}  ${shortOf(file)}  ${notes.join(", ")}  ${(duration_ms / 1000).toFixed(1)} s`,
  );
}

/** Prints the processor time of all files, and the files that need the most of it. */
function printProcessorTimes(): void {
  if (!existsSync(timesFile)) return;
  const used = new Map<string, number>();
  for (const line of readFileSync(timesFile, "utf8").trim().split("\n")) {
    const [file = "", seconds] = line.split(" ");
    used.set(file, (used.get(file) ?? 0) + Number(seconds));
  }
  rmSync(timesFile);
  const sorted = [...used].sort(([, one], [, other]) => other - one);
  const sum = sorted.reduce((total, [, seconds]) => total + seconds, 0);
  console.log(`processor time of all files: ${sum.toFixed(0)} s; most need:`);
  for (const [file, seconds] of sorted.slice(0, 20))
    console.log(`${seconds.toFixed(1).padStart(8)} s  ${shortOf(file)}`);
}

await Promise.all(groups.map(runGroup));
printProcessorTimes();
if (files.length === 0) all.failures.push(`no *.${suffix}.ts matches ${parts.join(" ")}`);
if (files.length === 0) all.failed++;
writeFileSync(resultFile, JSON.stringify(all));
process.exitCode = all.failed === 0 ? 0 : 1;
