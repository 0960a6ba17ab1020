import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { markVariable } from "./marked-processes.ts";
import { openProgramPool, type ProgramPool, type ProgramPoolOptions } from "./program-pool.ts";
import type { ProgramOutcome, ProgramRequest, ProgramRunner } from "./program-runner.ts";

const sh = (script: string, more: Partial<ProgramRequest> = {}): ProgramRequest => ({
  argv: ["/bin/sh", "-c", script],
  timeoutMs: 20_000,
  ...more,
});

/** Processes with this test's variable in their environment, without helpers and zombies. */
function processesWith(variable: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    try {
      if (/^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(variable))
        found.push(Number(name));
    } catch {}
  }
  return found;
}

const isSleeping = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, "utf8") === "sleep\n";

async function helperOf(own: ProgramRunner): Promise<number> {
  const outcome = await own.run(sh("echo $PPID"));
  return Number((outcome as { stdout: string }).stdout);
}

/** Tests of the behaviour that both implementations of a helper have in common. */
function testHelper(way: "native" | "node"): void {
  const open = (options: Partial<ProgramPoolOptions>): ProgramPool =>
    openProgramPool({ clock: systemClock, native: way === "native", ...options });
  const pool = open({ environment: { ...process.env, CANARY_SECRET: "hush", LC_ALL: "de_DE.UTF-8" } });
  after(() => pool.close());
  const run = (request: ProgramRequest): Promise<ProgramOutcome> => pool.run(request);

  test(`${way}: a program receives arguments and an empty input, its exit code and outputs are returned`, async () => {
    const script = `cat; printf '%s|' "$@"; echo err >&2; exit 3`;
    const outcome = await run({ argv: ["sh", "-c", script, "x", "a b", "$(id)", "'\n"], timeoutMs: 20_000 });
    assert.equal(outcome.kind, "exited");
    const { code, stdout, stderr, truncated } = outcome as Extract<ProgramOutcome, { kind: "exited" }>;
    assert.deepEqual([code, stdout, stderr, truncated], [3, "a b|$(id)|'\n|", "err\n", false]);
  });

  test(`[PG1] ${way}: programs inherit a fixed list of variables and no secrets`, async () => {
    const outcome = await run(sh("env", { env: { NAGIOS_HOSTNAME: "web 1" } }));
    const names = (outcome as { stdout: string }).stdout.split("\n").map((line) => line.split("=")[0]);
    assert.ok(names.includes("PATH") && names.includes("NAGIOS_HOSTNAME") && names.includes(markVariable));
    assert.ok(!names.includes("CANARY_SECRET") && !names.some((name) => name?.startsWith("NODE_")));
  });

  for (const [what, argv, why] of [
    ["a missing file", ["/nowhere/plugin"], "missing"],
    ["a file that is not a program", ["/etc/passwd"], "not_executable"],
    ["a folder", ["/tmp"], "not_executable"],
    ["an argument longer than 128 KiB", ["/bin/true", "x".repeat(140_000)], "too_long"],
  ] as const)
    test(`${way}: [PG5] ${what} does not start: ${why}`, async () => {
      const outcome = await run({ argv: [...argv] as [string], timeoutMs: 20_000 });
      assert.equal(outcome.kind === "not_started" && outcome.why, why);
    });

  test(`${way}: the end by a signal is reported as such`, async () => {
    const outcome = await run(sh("kill -SEGV $$"));
    assert.equal(outcome.kind === "signalled" && outcome.signal, "SIGSEGV");
  });

  for (const [what, script] of [
    ["a program that never ends", "sleep 1000"],
    ["one that ignores SIGTERM", "trap '' TERM INT; echo begun; while :; do sleep 1; done"],
    ["one with children", "sleep 1000 & sleep 1000 & wait"],
    ["one that closes its outputs and lives", "exec >&- 2>&-; sleep 1000"],
    ["one whose child leaves the process group", "setsid sleep 1000 & sleep 1000"],
  ] as const)
    test(`${way}: [PG2] ${what} is killed at its deadline with all of its processes`, async () => {
      const variable = `TEST_RUN=${what}`;
      const outcome = await run(sh(script, { timeoutMs: 300, env: { TEST_RUN: what } }));
      assert.equal(outcome.kind, "timed_out");
      await until("all processes gone", () => processesWith(variable).length === 0);
    });

  test(`${way}: [PG3] the result is that of the exit, and a child that holds the output is killed`, async () => {
    const script = "sleep 1000 & setsid sleep 1000 & echo done; exit 1";
    const outcome = await run(sh(script, { env: { TEST_RUN: "holder" } }));
    assert.deepEqual(outcome.kind === "exited" && [outcome.code, outcome.stdout], [1, "done\n"]);
    await until("all holders gone", () => processesWith("TEST_RUN=holder").length === 0);
  });

  test(`[PG3] ${way}: a child that closed the output lives on, as a daemon started by an event handler does`, async () => {
    const outcome = await run(sh("sleep 1000 >/dev/null 2>&1 & echo $!"));
    const pid = Number((outcome as { stdout: string }).stdout);
    assert.ok(process.kill(pid, "SIGKILL"));
  });

  test(`${way}: a script without a #! line runs`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "programs-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "plugin é");
    writeFileSync(file, `echo "$1 ran"; exit 2\n`, { mode: 0o755 });
    const outcome = await run({ argv: [file, "it"], timeoutMs: 20_000 });
    assert.deepEqual(outcome.kind === "exited" && [outcome.code, outcome.stdout], [2, "it ran\n"]);
  });

  test(`${way}: [PG1] a program starts with no signal ignored or blocked, in a new session`, async () => {
    const outcome = await run(sh("grep -E '^Sig(Ign|Blk)' /proc/self/status; cut -d' ' -f 1,5,6 /proc/$$/stat"));
    const [blocked, ignored, session] = (outcome as { stdout: string }).stdout.trim().split("\n");
    // 32 to 34 belong to the C library, which sets them itself in every program.
    const set = (line = ""): bigint => BigInt(`0x${line.split("\t")[1]}`) & ~0x3_8000_0000n;
    assert.deepEqual([set(blocked), set(ignored)], [0n, 0n]);
    assert.match(String(session), /^(\d+) \1 \1$/);
  });

  test(`${way}: numbers have a decimal point in every locale`, async () => {
    const outcome = await run(sh('echo "$LANG $LC_NUMERIC $LC_ALL"'));
    assert.equal((outcome as { stdout: string }).stdout, "de_DE.UTF-8 C \n");
  });

  for (const [what, request] of [
    ["an argument", { argv: ["/bin/echo", "a\0b"] }],
    ["the environment", { argv: ["/bin/true"], env: { A: "a\0b" } }],
  ] as const)
    test(`${way}: NUL in ${what} is refused`, async () => {
      assert.deepEqual(await run({ ...request, timeoutMs: 20_000 }), {
        kind: "not_started",
        why: "refused",
        code: "EINVAL",
      });
    });

  test(`${way}: a pool counts starts, timeouts, truncations and strays`, async (t) => {
    const own = open({});
    t.after(() => own.close());
    await own.run(sh("exit 0"));
    await own.run(sh("head -c 70000 /dev/zero"));
    await own.run(sh("exec sleep 1000", { timeoutMs: 50 }));
    const ending = new AbortController();
    void own.run(sh("setsid sleep 1000 & sleep 1000 & wait", { env: { TEST_RUN: "count" } }), ending.signal);
    await until("both children sleep", () => processesWith("TEST_RUN=count").filter(isSleeping).length === 2);
    ending.abort();
    await until("the stray killed", () => own.counts().strays === 1);
    const seen = { started: 3, timedOut: 1, truncated: 1, noResources: 0, strays: 1 };
    assert.deepEqual(own.counts(), { ...seen, running: 0, waiting: 0 });
  });

  test(`${way}: [PG4] of 100 MB of output the beginning is kept, and the exit code is returned`, async () => {
    const outcome = await run(sh("head -c 100000000 /dev/zero | tr '\\0' 'x'; exit 2"));
    assert.deepEqual(outcome.kind === "exited" && [outcome.code, outcome.stdout.length, outcome.truncated], [
      2,
      65_536,
      true,
    ]);
  });

  test(`${way}: invalid UTF-8 is replaced`, async () => {
    const outcome = await run(sh("printf 'a\\377b\\303'"));
    assert.equal(outcome.kind === "exited" && outcome.stdout, "a\ufffdb\ufffd");
  });

  test(`${way}: [PG8] a limited number runs concurrently, in order of arrival`, async (t) => {
    const narrow = open({ concurrency: 1, helpers: 1 });
    t.after(() => narrow.close());
    const order: number[] = [];
    const runs = [1, 2, 3, 4].map(async (n) => {
      await narrow.run(sh(n === 1 ? "sleep 0.2" : ":"));
      order.push(n);
    });
    await Promise.all(runs);
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test(`${way}: the caller can abort waiting and running programs`, async (t) => {
    const narrow = open({ concurrency: 1, helpers: 1 });
    t.after(() => narrow.close());
    const [first, second] = [new AbortController(), new AbortController()];
    const running = narrow.run(sh("sleep 1000", { env: { TEST_RUN: "abort" } }), first.signal);
    const waiting = narrow.run(sh("sleep 1000"), second.signal);
    second.abort();
    assert.equal((await waiting).kind, "aborted");
    first.abort();
    assert.equal((await running).kind, "aborted");
    assert.equal((await narrow.run(sh("exit 0"), AbortSignal.abort())).kind, "aborted");
    assert.equal((await narrow.run(sh("exit 0"))).kind, "exited");
  });

  test(`${way}: close kills running programs, aborts waiting ones and leaves no process`, async (t) => {
    const own = open({ concurrency: 2, helpers: 1 });
    t.after(() => own.close());
    const script = "trap '' TERM; setsid sleep 1000 & sleep 1000";
    const runs = [1, 2, 3].map(() => own.run(sh(script, { env: { TEST_RUN: "close" } })));
    await until("programs running", () => processesWith("TEST_RUN=close").length >= 4);
    await own.close();
    for (const outcome of await Promise.all(runs)) assert.match(outcome.kind, /^(aborted|lost)$/);
    await until("no process is left", () => processesWith("TEST_RUN=close").length === 0);
    assert.equal((await own.run(sh("exit 0"))).kind, "aborted");
  });

  test(`${way}: a pool can be closed directly after the first run`, async (t) => {
    const own = openProgramPool({ clock: systemClock });
    t.after(() => own.close());
    const outcome = own.run(sh("sleep 1000", { env: { TEST_RUN: "early" } }));
    await own.close();
    assert.match((await outcome).kind, /^(aborted|lost)$/);
    await until("no process is left", () => processesWith("TEST_RUN=early").length === 0);
  });

  test(`${way}: [PG7] a helper that dies is replaced, and its programs are lost and killed`, async (t) => {
    const own = open({ helpers: 1 });
    t.after(() => own.close());
    const helper = await helperOf(own);
    const outcome = own.run(sh("setsid sleep 1000 & sleep 1000", { env: { TEST_RUN: "dead" } }));
    await until("program running", () => processesWith("TEST_RUN=dead").length >= 2);
    process.kill(helper, "SIGKILL");
    assert.equal((await outcome).kind, "lost");
    assert.notEqual(await helperOf(own), helper);
    await until("its programs gone", () => processesWith("TEST_RUN=dead").length === 0);
  });
}
testHelper("native");

test("[PG1] programs inherit no descriptors except the three standard ones", async (t) => {
  const own = openProgramPool({ clock: systemClock });
  t.after(() => own.close());
  const outcome = await own.run({ argv: ["ls", "/proc/self/fd"], timeoutMs: 20_000 });
  // The fourth is the directory that `ls` lists.
  assert.deepEqual((outcome as { stdout: string }).stdout.trim().split("\n"), ["0", "1", "2", "3"]);
});

test("[PG1] [PG7] outputs are pipes, so that /dev/stdout can be opened, and no zombie is left", async (t) => {
  const own = openProgramPool({ clock: systemClock, helpers: 1 });
  t.after(() => own.close());
  const outcome = await own.run(sh("echo once >/dev/stdout; echo twice >/dev/stderr; readlink /proc/self/fd/1"));
  assert.match((outcome as { stdout: string }).stdout, /^once\npipe:/);
  assert.equal((outcome as { stderr: string }).stderr, "twice\n");

  const helper = await helperOf(own);
  await Promise.all([
    own.run(sh("sleep 1000", { timeoutMs: 100 })),
    own.run(sh("(setsid sleep 0.1 &) >/dev/null 2>&1")),
    own.run({ argv: ["/nowhere"], timeoutMs: 100 }),
  ]);
  const children = (): string => readFileSync(`/proc/${helper}/task/${helper}/children`, "utf8");
  await until("all children waited for", () => children() === "");
});

testHelper("node");
