import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { healthy, pairHosts, startPair } from "../../faults/pair/pair-environment.ts";
import { type PairTestMember, patienceMs } from "../../faults/pair/pair-member.ts";
import { tempFolder } from "../../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../../run/rows.ts";

/** Statuses that a member shows, by host. */
async function shownBy({ program }: PairTestMember): Promise<Readonly<Record<string, string>>> {
  const rows = Object.entries(await statusRows(program.base));
  return Object.fromEntries(rows.map(([name, { status }]) => [name, status]));
}

const setStatus = ({ program }: PairTestMember, host: string, status: string) =>
  sendCommand(program.base, "ProcessCheckResult", { ...hostTarget(host), status });

const untilShown = (member: PairTestMember, host: string, status: string) =>
  until(`${member.name} shows that ${host} is ${status}`, async () => (await shownBy(member))[host] === status, {
    withinMs: patienceMs,
  });

/** Module that ends or hangs the thread of a program's port while the file that a variable names exists. */
const portFault = `
import { existsSync, readFileSync } from "node:fs";
import { threadName } from "node:worker_threads";
const [file, cell] = [process.env.PORT_FAULT, new Int32Array(new SharedArrayBuffer(4))];
function fail() {
  if (existsSync(file) && readFileSync(file, "utf8") === "end") process.exit(1);
  while (existsSync(file)) Atomics.wait(cell, 0, 0, 50);
}
if (threadName === "port-thread") setInterval(fail, 50).unref();
`;

test("[PA62] a standby shows all rows when the active member numbers them anew, and when its own port is started again", async (t) => {
  const folder = tempFolder(t);
  const module = join(folder, "port-fault.mjs");
  writeFileSync(module, portFault);
  const envOf = (name: string) => ({ NODE_OPTIONS: `--import=${module}`, PORT_FAULT: join(folder, name) });
  const pair = await startPair(t, { env: [envOf("fra-a"), envOf("fra-b")] });
  const { active, standby } = await healthy(pair);
  await setStatus(active, "h0", "STATUS_CRITICAL");
  await untilShown(standby, "h0", "STATUS_CRITICAL");

  await t.test("numbered anew", async () => {
    await pair.deleteStream(stateStream.name);
    await pair.createStreams();
    await setStatus(active, "h1", "STATUS_CRITICAL");
    await until("the loss is noticed", () => /rows are published under a new epoch/.test(active.program.output()), {
      withinMs: patienceMs,
    });
    await setStatus(active, "h2", "STATUS_CRITICAL");
    await untilShown(standby, "h2", "STATUS_CRITICAL");
    assert.deepEqual(await shownBy(standby), await shownBy(active));
    assert.equal(Object.keys(await shownBy(standby)).length, pairHosts.length);
  });

  await t.test("the port of the standby is started again", async () => {
    const starts = () => standby.program.output().match(/the port is open again/g)?.length ?? 0;
    const fault = join(folder, standby.name);
    writeFileSync(fault, "end");
    await until("its port ends", () => /the port has ended/.test(standby.program.output()), { withinMs: patienceMs });
    rmSync(fault);
    await until("its port is open again", () => starts() > 0, { withinMs: patienceMs });
    await until("it shows all", async () => Object.keys(await shownBy(standby)).length === pairHosts.length, {
      withinMs: patienceMs,
    });
    await setStatus(active, "h3", "STATUS_CRITICAL");
    await untilShown(standby, "h3", "STATUS_CRITICAL");
    assert.deepEqual(await shownBy(standby), await shownBy(active));
    assert.equal((await healthy(pair)).active, active);
  });

  await t.test("[PA63] the port of the standby hangs while the active member dies", async () => {
    const fault = join(folder, standby.name);
    const before = standby.program.output().length;
    writeFileSync(fault, "hang");
    await active.program.stop("SIGKILL");
    const news = () => standby.program.output().slice(before);
    await until("its agent runs", () => /takeover from.*agent is ready/s.test(news()), { withinMs: patienceMs });
    rmSync(fault);
    await until("its port takes commands", () => setStatus(standby, "h4", "STATUS_CRITICAL"));
    await active.program.restart();
    assert.equal((await healthy(pair)).active, standby);
    await untilShown(active, "h4", "STATUS_CRITICAL");
    assert.deepEqual(await shownBy(active), await shownBy(standby));
  });
});
