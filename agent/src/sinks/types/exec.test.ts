import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openTestSinkHost, sinkFolder, sinkPlanOf, valuesOfLines } from "../sinks.fixture.ts";

const execSink = (script: string, more = {}) =>
  sinkPlanOf({ name: "s", type: "exec", command: ["/bin/sh", "-c", script], cursor: "", ...more });
const read = (path: string): number[] => (existsSync(path) ? valuesOfLines(readFileSync(path, "utf8")) : []);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

test("[SK14] a program that ends is started again and gets what the one before may not have read", async (t) => {
  const folder = sinkFolder(t);
  const [out, flag] = [join(folder, "out"), join(folder, "flag")];
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  const script = `[ -e ${flag} ] && exec cat >> ${out}; touch ${flag}; head -n 3 >> ${out}; exit 3`;
  await host.configure(execSink(script, { batchSize: 1 }));
  for (const value of upTo(6)) host.point(value);
  await until("the first program ended", () => read(out).length === 3);
  host.point(7);
  await until("every line was read", () => new Set(read(out)).size === 7, { seen: () => read(out) });
  const { counts } = await host.untilStatus("the end is counted", "s", (one) => (one.counts.failed.program ?? 0) > 0);
  assert.deepEqual(counts.dropped, {});
});

test("[SK14] a program that ends is started again although no new entry comes", async (t) => {
  const folder = sinkFolder(t);
  const [out, flag] = [join(folder, "out"), join(folder, "flag")];
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(
    execSink(`[ -e ${flag} ] && exec cat >> ${out}; touch ${flag}; head -n 1 > /dev/null; exit 3`, { batchSize: 1 }),
  );
  host.point(1);
  await until("the next program has the line", () => read(out).length === 1);
});

test("[SK14] a program that does not read keeps the sink waiting and nothing else", async (t) => {
  const folder = sinkFolder(t);
  const [gate, out] = [join(folder, "gate"), join(folder, "out")];
  writeFileSync(gate, "");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(execSink(`while [ -e ${gate} ]; do sleep 0.05; done; exec cat > ${out}`, { batchSize: 100 }));
  for (const value of upTo(2_000)) host.point(value);
  const { failingSinceMs } = await host.untilStatus(
    "the pipe is full",
    "s",
    ({ queued, counts }) => queued > 500 && counts.delivered > 0,
  );
  assert.equal(failingSinceMs, undefined);
  rmSync(gate);
  await until("all lines were read", () => read(out).length === 2_000);
  assert.deepEqual(read(out), upTo(2_000));
});

/** True for a process that exists and is not a zombie. */
function lives(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

test("[SK23] a program that does not read ends with its sink, and so do its children", async (t) => {
  const pids = join(sinkFolder(t), "pids");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  const script = `sleep 1000 & setsid sleep 1001 & echo $! $$ > ${pids}.new; mv ${pids}.new ${pids}; wait`;
  const stuck = execSink(`trap '' TERM; ${script}`, { batchSize: 100 });
  await host.configure(stuck);
  for (const value of upTo(2_000)) host.point(value);
  await until("the program runs", () => existsSync(pids));
  const started = readFileSync(pids, "utf8").trim().split(" ");
  assert.equal(started.length, 2);
  // The command line of a process is empty for a moment while it becomes another program.
  await until("both run", () => started.every(lives));
  await host.stop(100);
  assert.deepEqual(started.filter(lives), []);
});

test("[SK23] the children of a program that ends do not read on beside the next one", async (t) => {
  const pid = join(sinkFolder(t), "pid");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(
    execSink(`[ -e ${pid} ] && exec cat > /dev/null; sleep 1000 & echo $! > ${pid}.new; mv ${pid}.new ${pid}; exit 3`),
  );
  host.point(1);
  await until("the program ended", () => existsSync(pid));
  await until("its child ends", () => !lives(readFileSync(pid, "utf8").trim()));
});

test("[SK14] a missing program is reported, and secrets of the agent's environment are not passed on", async (t) => {
  const out = join(sinkFolder(t), "out");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  process.env["REALMWATCH_CANARY"] = "c4nary";
  atEnd(t, () => delete process.env["REALMWATCH_CANARY"]);
  await host.configure(
    execSink(`env > ${out}; cat > /dev/null`),
    sinkPlanOf({ name: "gone", type: "exec", command: ["/no/such/program"], cursor: "" }),
  );
  host.point(1);
  const { lastError } = await host.untilStatus(
    "it fails",
    "gone",
    ({ failingSinceMs }) => failingSinceMs !== undefined,
  );
  assert.match(lastError, /its program does not exist/);
  await until("the program ran", () => existsSync(out) && readFileSync(out, "utf8").includes("PATH="));
  assert.doesNotMatch(readFileSync(out, "utf8"), /c4nary/);
});
