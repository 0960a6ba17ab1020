import assert from "node:assert/strict";
import { readFileSync, readlinkSync } from "node:fs";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { assembleModule, type ModuleName, openModuleFolder, printingModule } from "./wasm-modules.fixture.ts";
import { openWasmPool } from "./wasm-pool.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

const modules = openModuleFolder();
const pool = openWasmPool({ clock: systemClock, concurrency: 2 });
after(async () => {
  await pool.close();
  modules.remove();
});

const request = (module: string, more: Partial<WasmRequest> = {}): WasmRequest => ({
  module,
  args: [],
  env: {},
  timeoutMs: 20_000,
  ...more,
});
const run = (name: ModuleName, more: Partial<WasmRequest> = {}): Promise<WasmOutcome> =>
  pool.run(request(modules.path(name), more));

/** The outcome's kind with its exit code or reason. */
function short(outcome: WasmOutcome): string {
  if (outcome.kind === "exited") return `exited ${outcome.code}`;
  return outcome.kind === "refused" || outcome.kind === "trapped" ? `${outcome.kind} ${outcome.why}` : outcome.kind;
}
const stdoutOf = (outcome: WasmOutcome): string => ("stdout" in outcome ? outcome.stdout : "");
const helpers = (): string[] => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return "closed";
  }
};

test("[WA1] a run returns the module's output and exit code", async () => {
  const ended = await run("ok");
  assert.deepEqual([short(ended), stdoutOf(ended)], ["exited 0", "OK - queue is short | depth=3;10;20;0"]);
  assert.equal(short(await run("critical")), "exited 2");
  assert.equal(short(await run("oddExit")), "exited 77");
  assert.equal(short(await run("returns")), "exited 0");
  const { stdout, stderr } = (await run("onStderr")) as { stdout: string; stderr: string };
  assert.deepEqual([stdout, stderr], ["", "only here"]);
});

test("[WA2] a module receives literal arguments and only the given environment", async () => {
  const args = ["-w", "a b", "$HOSTNAME$; id", "ü"];
  const path = modules.path("args");
  assert.equal(stdoutOf(await run("args", { args })), [path, ...args, ""].join("\0"));
  assert.equal(stdoutOf(await run("environ", { env: { NAGIOS_HOSTNAME: "web1" } })), "NAGIOS_HOSTNAME=web1\0");
  assert.equal(stdoutOf(await run("environ")), "");
});

for (const name of ["opensFile", "sends", "reads", "raises", "badPointer", "nap", "growAtOnce"] as const)
  test(`[WA2] the sandbox has no resources for a module: ${name}`, async () =>
    assert.equal(short(await run(name)), "exited 0"));

test("[WA2] a module cannot close the files of the process that runs it", async () => {
  assert.equal(short(await run("ok")), "exited 0");
  const open = (): string[][] => helpers().map((helper) => [0, 1, 2].map((fd) => linkOf(`/proc/${helper}/fd/${fd}`)));
  const before = open();
  for (let times = 0; times < 3; times += 1) assert.equal(short(await run("closes")), "exited 0");
  assert.deepEqual(open(), before);
  assert.equal(short(await run("reads")), "exited 0");
});

test("[WA3] memory grows to 64 MiB and not further", async () => {
  assert.equal(stdoutOf(await run("grow")), "OK - grew to the limit");
  assert.equal(short(await run("touch")), "exited 0");
});

for (const name of ["loop", "sleep"] as const)
  test(`[WA4] a module that does not end is terminated at its timeout: ${name}`, async () => {
    let turns = 0;
    const turning = (): void => {
      turns++;
      if (turns > 0) setImmediate(turning);
    };
    turning();
    const ended = await run(name, { timeoutMs: 1_000 });
    const seen = turns;
    turns = Number.NEGATIVE_INFINITY;
    assert.ok(seen > 10, `the caller had ${seen} turns`);
    assert.equal(ended.kind, "timed_out");
    if (name === "loop") assert.equal(stdoutOf(ended), "before");
    assert.equal(short(await run("ok")), "exited 0");
  });

for (const [name, why] of [
  ["unreachable", "unreachable"],
  ["outside", "memory access out of bounds"],
  ["recursion", "Maximum call stack size exceeded"],
] as const)
  test(`[WA5] a trap is reported: ${name}`, async () => {
    const ended = await run(name);
    assert.equal(short(ended), `trapped ${why}`);
    if (name === "unreachable") assert.equal(stdoutOf(ended), "so far");
  });

const refused: [file: string, why: RegExp][] = [
  [modules.path("badImport"), /^it imports the function env.system, which is not part of WASI preview 1$/],
  [modules.path("unknownImport"), /^it imports the function wasi_snapshot_preview1.fd_teleport, which/],
  [modules.path("wrongImport"), /^it imports the memory wasi_snapshot_preview1.fd_write, which/],
  [modules.path("library"), /^it exports no function _start/],
  [modules.path("noMemory"), /^it exports no memory$/],
  [modules.path("hungry"), /^its initial memory is more than 64 MiB$/],
  [modules.path("twoMemories"), /^it has more than one memory$/],
  [modules.path("sharedMemory"), /^its memory is shared or 64-bit/],
  [modules.path("wideMemory"), /^its memory is shared or 64-bit/],
  [modules.file("text.wasm", "#!/bin/sh\n"), /^it is not a WebAssembly module$/],
  [modules.file("component.wasm", Buffer.from("0061736d0d000100", "hex")), /^it is a component/],
  [modules.file("empty.wasm", ""), /^it is not a WebAssembly module$/],
  [modules.file("cut.wasm", assembleModule(printingModule("OK", 0)).subarray(0, 100)), /^it is truncated or damaged$/],
  [modules.file("nonsense.wasm", Buffer.from("0061736d01000000010203", "hex")), /truncated|does not compile/],
  [
    modules.file("large.wasm", assembleModule(printingModule("OK", 0)), 200 * 2 ** 20),
    /^its 200 MiB are more than the 64 MiB/,
  ],
  [modules.folder, /^it is not a file$/],
  ["/dev/zero", /^it is not a file$/],
  ["/nowhere/module.wasm", /^the file does not exist \(ENOENT\)$/],
];
for (const [file, why] of refused)
  test(`[WA6] refused: ${why.source}`, async () => {
    const ended = await pool.run(request(file));
    assert.ok(ended.kind === "refused", ended.kind);
    assert.match(ended.why, why);
  });

test("[WA7] output after 64 KiB is dropped and the exit code is kept", async () => {
  const ended = await run("flood");
  assert.equal(short(ended), "exited 1");
  assert.ok(ended.kind === "exited" && ended.truncated);
  assert.equal(ended.stdout.length, 65_536);
});

test("[WA8] a changed file is recompiled", async () => {
  const path = modules.file("changing.wasm", assembleModule(printingModule("OK - one", 0)));
  assert.equal(stdoutOf(await pool.run(request(path))), "OK - one");
  modules.file("changing.wasm", assembleModule(printingModule("OK - another one", 0)));
  assert.equal(stdoutOf(await pool.run(request(path))), "OK - another one");
});

test("each run has a new instance", async () => {
  const ended = await Promise.all(Array.from({ length: 200 }, () => run("ok")));
  assert.deepEqual(new Set(ended.map(short)), new Set(["exited 0"]));
});

test("aborting ends waiting and running modules", async () => {
  const stopping = new AbortController();
  const runs = Array.from({ length: 6 }, () => pool.run(request(modules.path("loop")), stopping.signal));
  stopping.abort();
  assert.deepEqual(new Set((await Promise.all(runs)).map(short)), new Set(["aborted"]));
  assert.equal(short(await pool.run(request(modules.path("ok")), stopping.signal)), "aborted");
  assert.equal(short(await run("ok")), "exited 0");
});

test("[WA9] the runs of a helper that dies are lost, and the helper is replaced", async () => {
  const [helper] = helpers();
  const ended = run("loop");
  process.kill(Number(helper), "SIGKILL");
  assert.equal(short(await ended), "lost");
  assert.equal(short(await run("ok")), "exited 0");
  assert.notDeepEqual(helpers(), [helper]);
});

test("closing a pool leaves no process", async () => {
  const others = helpers();
  const own = openWasmPool({ clock: systemClock });
  const ended = own.run(request(modules.path("loop")));
  await own.close();
  assert.equal(short(await ended), "aborted");
  assert.deepEqual(helpers(), others);
});
