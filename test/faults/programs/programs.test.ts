import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import type { ProgramOutcome, ProgramRequest } from "@realmwatch/agent/platform/programs/program-runner";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { root } from "../../architecture/sources.ts";
import { tempFolder } from "../../run/processes.ts";
import type { ProgramReport, ProgramWork } from "./run-programs.ts";

const tools = openTestDependencies();
test.after(() => tools.close());

const check = (script: string, timeoutMs = 20_000): Promise<CheckRun> =>
  runCheck(
    servicePlan({ type: "legacy", path: "/bin/sh", args: ["-c", script] }, timeoutMs),
    checkEnvironment(),
    tools,
  );

const sh = (script: string, more: Partial<ProgramRequest> = {}): ProgramRequest => ({
  ...{ argv: ["/bin/sh", "-c", script], timeoutMs: 30_000 },
  ...more,
});

/** Ids of processes with this variable in their environment. */
function processesWith(variable: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(variable);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Starts `run-programs.ts`, with the command `before` in front, which limits it. */
function start(scope: TestScope, work: ProgramWork, before: readonly string[] = []): ChildProcess {
  const node = ["--disable-warning=ExperimentalWarning", "test/faults/programs/run-programs.ts"];
  const [file = "", ...args] = [...before, process.execPath, ...node, JSON.stringify(work)];
  const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  atEnd(scope, () => void child.kill("SIGKILL"));
  return child;
}

async function report(child: ChildProcess): Promise<ProgramReport> {
  let output = "";
  child.stdout?.on("data", (data) => {
    output += data;
  });
  await once(child, "close");
  assert.equal(child.exitCode, 0, output);
  return JSON.parse(output.split("\n")[1] ?? "");
}

test("[PG2, PO1] any plugin that does not end is unknown at its timeout and delays no other check", async (t) => {
  const scripts = [
    "sleep 1000",
    "trap '' TERM INT HUP QUIT; while :; do sleep 0.01; done",
    "sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; wait",
    "exec >&- 2>&-; sleep 1000",
    "while :; do echo x; done",
    "kill -STOP $$",
  ];
  const gate = join(tempFolder(t), "gate");
  const other = check(`while [ ! -e ${gate} ]; do sleep 0.05; done; echo through`, 120_000);
  const runs = scripts.map((script) => check(script, 800));
  for (const run of await Promise.all(runs)) {
    assert.equal(run.status, "unknown");
    assert.match(run.output, /sh timed out after 800ms$/);
    assert.deepEqual(run.perfdata, []);
  }
  // Their ends neither waited for this one nor ended it.
  writeFileSync(gate, "");
  const { status, output } = await other;
  assert.deepEqual([status, output], ["ok", "through"]);
});

for (const native of [true, false])
  test(`[PG7] after a kill of the agent no program and no helper is left${native ? "" : ", without the C library"}`, async (t) => {
    const env = { TEST_RUN: `orphans-${native}-${process.pid}` };
    const variable = `TEST_RUN=${env.TEST_RUN}`;
    const script = "trap '' TERM HUP; setsid sleep 1000 & sleep 1000 & sleep 1000";
    const child = start(t, { native, requests: [sh(script, { env }), sh(script, { env }), sh(script, { env })] });
    await until("the programs run", () => processesWith(variable).length >= 12);
    const helpers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    assert.equal(helpers.length, 2);
    child.kill("SIGKILL");
    await until("no program is left", () => processesWith(variable).length === 0);
    await until("no helper is left", () => !readdirSync("/proc").some((name) => helpers.includes(name)));
  });

const hostile: [what: string, script: string, holds: (run: CheckRun) => void][] = [
  [
    "100 MB",
    "head -c 100000000 /dev/zero | tr '\\0' x; exit 1",
    (run) => assert.match(run.output, /^x{65536}…\(trunc/),
  ],
  [
    "a line of 1 MB",
    "head -c 1000000 /dev/zero | tr '\\0' x; echo; exit 1",
    (run) => assert.ok(run.output.length < 65_560),
  ],
  ["NUL", "printf 'O\\000K\\000'; exit 1", ({ output }) => assert.equal(output, "OK")],
  ["invalid UTF-8", "printf 'a\\377b\\300\\257'; exit 1", ({ output }) => assert.equal(output, "a�b��")],
  [
    "64 000 numbers",
    "echo -n '|'; yes 'a=1' | head -64000 | tr '\\n' ' '; exit 1",
    (run) =>
      assert.deepEqual([run.perfdata.length, /…\(truncated\)$/.test(run.longOutput + run.output)], [1_000, true]),
  ],
  [
    "pipes without numbers",
    "echo 'a | b | c'; exit 1",
    (run) => assert.deepEqual([run.output, run.perfdata], ["a | b | c", []]),
  ],
  [
    "an open quote",
    `echo "a|'b=1 c=2"; exit 1`,
    ({ perfdata }) =>
      assert.deepEqual(
        perfdata.map((p) => p.label),
        ["c"],
      ),
  ],
  [
    "numbers on every line",
    "printf 'a|b=1\\nc|d=2\\ne=3 | f=4\\n'; exit 1",
    (run) => assert.deepEqual([run.longOutput, run.perfdata.length], ["c", 4]),
  ],
  [
    "much on both outputs",
    "yes e | head -c 9000000 >&2 & yes o | head -c 9000000; wait; exit 1",
    (run) => assert.ok(run.longOutput.endsWith("…(truncated)")),
  ],
];
for (const [what, script, holds] of hostile)
  test(`[PO2, PO3, PO4] a plugin that prints ${what} has its status`, async () => {
    const run = await check(script);
    assert.equal(run.status, "warning");
    holds(run);
  });

test("[PG4] the output of plugins above the limit is held neither by the agent nor by its helpers", async (t) => {
  const flood = sh("head -c 20000000 /dev/zero | tr '\\0' x");
  const sleeping = sh("exec sleep 1000", { env: { TEST_RUN: "rss" } });
  const child = start(t, { native: true, requests: [...Array.from({ length: 60 }, () => flood), sleeping] });
  await until("only the sleeping one is left", async () => {
    const running = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
    return running.length === 2 && processesWith("TEST_RUN=rss").length === 1 && runningUnder(running) === 1;
  });
  for (const pid of [child.pid, ...childrenOf(child.pid)]) {
    const [, peakKb] = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    // 1200 MB are printed and 60 times 64 KiB are kept. A Node.js process uses about 60 MB at least.
    assert.ok(Number(peakKb) < 160_000, `process ${pid} held ${peakKb} KB`);
  }
});

const childrenOf = (pid: number | string | undefined): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
const runningUnder = (helpers: readonly string[]): number => helpers.flatMap(childrenOf).length;

test("[PO8] a megabyte of output is cut as argument and in the environment of a command", async () => {
  const line = `/bin/sh -c 'echo "$(printf %s "$1" | wc -c) $(printf %s "$NAGIOS_SERVICEOUTPUT" | wc -c)"' x $SERVICEOUTPUT$`;
  const about = checkEnvironment({
    realm: {
      commands: { it: { line: line.replace('"$1"', '"$$1"').replaceAll("$(", "$$("), shell: false } },
      resources: {},
    },
    macro: (name) => (name === "SERVICEOUTPUT" ? "x".repeat(1_000_000) : undefined),
  });
  const run = await runCheck(servicePlan({ type: "command", command: "it", args: [] }), about, tools);
  assert.deepEqual([run.status, run.output], ["ok", "8192 65536"]);
});

for (const native of [true, false])
  test(`[PG6] with few descriptors fewer programs run at a time, and all of them run${native ? "" : ", without the C library"}`, async (t) => {
    const requests = Array.from({ length: 150 }, (_, n) => sh(`sleep 0.05; echo ${n}`));
    const { outcomes, counts } = await report(start(t, { native, requests }, ["prlimit", "--nofile=64:64"]));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind === "exited" && Number(outcome.stdout)),
      requests.map((_, n) => n),
    );
    assert.ok(counts.noResources > 0, "the limit was reached");
  });

// The limit of processes counts for each user except root, with the processes that other tests run as this user.
const otherUser = 60_000 + (process.pid % 4_000);
const asOtherUser = ["setpriv", `--reuid=${otherUser}`, `--regid=${otherUser}`, "--clear-groups", "--"];
const skip = process.getuid?.() !== 0 && "only root can become a user without other processes";

test("[PG6] with few processes fewer programs run at a time, and all of them run", { skip }, async (t) => {
  // The agent and two helpers have about 35 threads. The first programs run until the limit is reached for sure.
  const before = [...asOtherUser, "prlimit", "--nproc=60:60"];
  const argvOf = (n: number) => ["/bin/sleep", n < 40 ? "2" : `0.0${n}`] as const;
  const requests = Array.from({ length: 100 }, (_, n) => ({ ...sh(""), argv: argvOf(n) }));
  const { outcomes, counts } = await report(start(t, { native: true, requests }, before));
  assert.deepEqual(new Set(outcomes.map(endOf)), new Set(["exited 0"]));
  assert.ok(counts.noResources > 0, "the limit was reached");
});

test("[PG2, PG6] a plugin that forks without limit is killed with all processes, and other programs run again", {
  skip,
}, async (t) => {
  // The shell itself forks once, before the bomb goes off, because afterwards it could not.
  const bomb = sh("bomb() { bomb | bomb & }; (bomb) & exec sleep 1000", { timeoutMs: 500, env: { TEST_RUN: "bomb" } });
  const afterwards = [1, 2, 3].map(() => sh("exit 0"));
  const before = [...asOtherUser, "prlimit", "--nproc=150:150"];
  const { outcomes, afterwards: later } = await report(
    start(t, { native: true, requests: [bomb], afterwards }, before),
  );
  assert.deepEqual(outcomes.map(endOf), ["timed_out"]);
  assert.deepEqual(later.map(endOf), ["exited 0", "exited 0", "exited 0"]);
  await until("the bomb is gone", () => processesWith("TEST_RUN=bomb").length === 0);
});

const endOf = (outcome: ProgramOutcome): string =>
  outcome.kind === "exited" ? `exited ${outcome.code}` : outcome.kind;
