import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startTcpTarget } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { memoryDisk, mountSkipReason } from "../disk/test-disks.ts";
import { judgedUnderLoad } from "./judged-under-load.ts";
import { cutLink, cutNats, healthy, startPair } from "./pair-environment.ts";
import {
  isActive,
  isStandby,
  killAndDelete,
  type PairTestMember,
  pairAt,
  patienceMs,
  untilPair,
  wipe,
} from "./pair-member.ts";

const withinPatience = { withinMs: patienceMs };

const submit = ({ program }: PairTestMember, name: string, output: string) =>
  call(program.base, "CommandService/ProcessCheckResult", {
    ...{ object: { host: { name } }, status: "STATUS_CRITICAL", output },
  });

const remark = ({ program }: PairTestMember, text: string) =>
  call(program.base, "CommandService/AddComment", { target: hostTarget("h0"), author: "ann", text });

for (const role of ["active", "standby"] as const)
  test(`[PA2, PA30, PA35] the disk of the ${role} member is full for a while`, { skip: mountSkipReason }, async (t) => {
    const disks = [memoryDisk(t, 96), memoryDisk(t, 96)] as const;
    const [a, b] = disks;
    assert.ok(a !== undefined && b !== undefined);
    const pair = await startPair(t, { flags: [{ "data-dir": a.dir }, { "data-dir": b.dir }] });
    await judgedUnderLoad(t, pair, async () => {
      const member = (await healthy(pair))[role];
      const disk = member === pair.members[0] ? a : b;
      disk.fill();
      // The active member refuses what it cannot store; without the standby's disk it goes on alone.
      const isNoticed = async () =>
        role === "active"
          ? (await remark(member, "full")).code === "unavailable"
          : !(await pairAt(member.program)).inSync;
      await until("the full disk is noticed", isNoticed, withinPatience);
      disk.empty();
    });
  });

test("[PA2, PA10, PA30] an active member whose data is gone gets everything from the other one", async (t) => {
  const pair = await startPair(t);
  await judgedUnderLoad(t, pair, async () => {
    for (let count = 0; count < 3; count += 1) {
      const { active, standby } = await healthy(pair);
      await wipe(active);
      await untilPair("is active", standby, isActive);
    }
  });
});

test("[PA10, PA30] of two members that were down the one with data serves the realm, whichever starts first", async (t) => {
  const pair = await startPair(t);
  await judgedUnderLoad(t, pair, async () => {
    const { active, standby } = await healthy(pair);
    await standby.program.stop("SIGKILL");
    await untilPair("is alone", active, ({ inSync }) => !inSync);
    await killAndDelete(standby);
    await active.program.stop("SIGKILL");
    await standby.program.restart();
    assert.ok(!isActive(await pairAt(standby.program)));
    await active.program.restart();
    assert.equal((await healthy(pair)).active, active);
  });
});

test("[PA2, PA3, PA43] a member that wakes in the middle of a delivery delivers again with a mark at most", async (t) => {
  const pair = await startPair(t);
  await judgedUnderLoad(t, pair, async () => {
    for (let count = 0; count < 3; count += 1) {
      const { active, standby } = await healthy(pair);
      // Deliveries of one contact are under way when the member is frozen, without an answer until it wakes.
      pair.receiver.setBehaviour("ann", "hang");
      const before = pair.receiver.attempts("ann");
      await until("a delivery is under way", () => pair.receiver.attempts("ann") > before, withinPatience);
      active.freeze();
      pair.receiver.setBehaviour("ann", "ok");
      await untilPair("is active", standby, isActive);
      const delivered = pair.receiver.delivered.length;
      await until("the other one delivers", () => pair.receiver.delivered.length > delivered, withinPatience);
      active.thaw();
      await untilPair("follows", active, isStandby);
    }
  });
});

test("[PA44] with page an active member without lease and link notifies with a mark, and refuses commands", async (t) => {
  const target = await startTcpTarget(t);
  const page = { "pair-on-lost-lease": "page" };
  const pair = await startPair(t, {
    flags: [page, page],
    documentOf: (url) => `
contacts: ann: {type: "webhook", url: "${url}/ann"}
notifications: "to-ann": levels: [{contacts: ["ann"]}]
hosts: h0: {
	address: "127.0.0.1", notification: "to-ann"
	check: {type: "tcp", address: "${target.address}", check_interval: "500ms", retry_interval: "500ms", max_attempts: 1, flap: {enabled: false}}
}
`,
  });
  const { active } = await healthy(pair);
  await until(
    "the host is up",
    async () => (await statusRows(active.program.base))["h0"]?.status === "STATUS_OK",
    withinPatience,
  );
  cutNats(pair);
  cutLink(pair);
  await untilPair("has lost its right", active, ({ role }) => role === "PAIR_ROLE_HELD");
  await target.close();
  const sent = await until("it notifies", () => pair.receiver.delivered[0], withinPatience);
  assert.deepEqual([sent.isMarked, sent.notifications[0]?.status], [true, "CRITICAL"]);
  assert.equal((await submit(active, "h0", "held")).code, "unavailable");
  pair.healLinks();
  await healthy(pair);
  await target.open();
  const recovery = () => pair.receiver.delivered.find(({ notifications: [first] }) => first?.kind === "RECOVERY");
  assert.equal((await until("the recovery is notified", recovery, withinPatience)).isMarked, false);
});

test("[PA12] promote -force makes a member active that may not become it by itself, once the other one is gone", async (t) => {
  const pair = await startPair(t);
  const { active, standby } = await healthy(pair);
  const promote = (force: boolean) => call(standby.program.base, "PairService/Promote", { force });
  const early = await promote(true);
  assert.equal(early.code, "failed_precondition", early.message);
  assert.ok((await submit(active, "h0", "before")).ok);
  cutNats(pair);
  cutLink(pair);
  await active.program.stop("SIGKILL");
  await untilPair("waits", standby, (seen) => !isActive(seen));
  assert.equal((await promote(false)).code, "invalid_argument");
  const forced = await until(
    "it is promoted",
    async () => {
      const answer = await promote(true);
      return answer.ok && answer;
    },
    withinPatience,
  );
  assert.ok(forced.ok);
  await untilPair("is active", standby, isActive);
  let answer: Awaited<ReturnType<typeof call>> | undefined;
  const accepted = await until(
    "a result is accepted",
    async () => {
      answer = await submit(standby, "h1", "after");
      return answer.ok;
    },
    { ...withinPatience, seen: () => answer },
  );
  assert.ok(accepted);
  pair.healLinks();
  await active.program.restart();
  assert.equal((await healthy(pair)).active, standby);
  for (const { name, program } of pair.members) {
    // A standby refuses reads until it has all rows.
    const shown = await until(`${name} answers`, () => statusRows(program.base).catch(() => undefined), withinPatience);
    assert.deepEqual([shown["h0"]?.output, shown["h1"]?.output], ["before", "after"], name);
  }
});

const fakeTime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

for (const offset of ["+5h", "-5h"])
  test(`[PA1, PA2, PA9] members whose clocks are apart by hours (${offset}) take over, and terms grow`, {
    skip: existsSync(fakeTime) ? false : "libfaketime is not installed",
  }, async (t) => {
    const env = { LD_PRELOAD: fakeTime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    const pair = await startPair(t, { env: [env, {}] });
    let term = 0;
    await judgedUnderLoad(t, pair, async () => {
      for (let count = 0; count < 4; count += 1) {
        const { active, standby } = await healthy(pair);
        await active.program.stop("SIGKILL");
        const after = await untilPair("is active", standby, isActive);
        assert.ok(Number(after.term) > term, `${after.term} after ${term}`);
        term = Number(after.term);
        await active.program.restart();
      }
    });
  });
