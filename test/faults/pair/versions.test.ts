import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { journalKind } from "@realmwatch/agent/journal/schema/journal-tables";
import { linkVersion } from "@realmwatch/agent/pair/link/follow-messages";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { runRealmwatch } from "../../run/cli.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { healthy, pairLeaseMs, startPair } from "./pair-environment.ts";
import {
  isActive,
  isStandby,
  type PairTestMember,
  pairAt,
  patienceMs,
  promoteByForce,
  toldBy,
  untilPair,
} from "./pair-member.ts";
import { patchedAgent } from "./patched-agent.ts";

const refusedRole = "PAIR_ROLE_REFUSED";
/** Time within which another member would have taken over, ms. */
const takeoverMs = pairLeaseMs + 1_000 + 1_000;

async function comment({ program }: PairTestMember, text: string): Promise<void> {
  const answer = await call(program.base, "CommandService/AddComment", {
    target: hostTarget("h0"),
    author: "ann",
    text,
  });
  assert.ok(answer.ok, answer.message);
}

const commentsAt = async ({ program }: PairTestMember): Promise<readonly string[]> =>
  ((await statusRows(program.base))["h0"]?.comments ?? []).map(({ text }) => text).sort();

const untilComments = (member: PairTestMember, ...texts: string[]): Promise<unknown> =>
  until(`${member.name} has ${texts.join()}`, async () => (await commentsAt(member)).join() === texts.join(), {
    withinMs: patienceMs,
  });

/** Waits until a member takes no part because of `reason`, and asserts that everything that people look at says so. */
async function refuses(member: PairTestMember, reason: RegExp): Promise<void> {
  await untilPair("takes no part", member, ({ role, reason: why = "" }) => role === refusedRole && reason.test(why));
  await until(
    "it says so everywhere",
    async () => {
      const { ready, page, printed, log, metrics } = await toldBy(member);
      const warnings = log.split("\n").filter((line) => line.includes('"level":"warn"'));
      const isSaid = [page, printed, warnings.join("\n")].every((text) => reason.test(text));
      return ready === 503 && isSaid && metrics.get("refused") === 1 && metrics.get("active") === 0;
    },
    { withinMs: patienceMs },
  );
}

/** The active member goes on without the refused one, says why it has no standby, and cannot hand over. */
async function goesOnAlone(active: PairTestMember, refused: PairTestMember, reason: RegExp): Promise<void> {
  const { reason: why = "" } = await untilPair("has no standby", active, (seen) => isActive(seen) && !seen.inSync);
  assert.match(why, /^the other member is refused: /);
  assert.match(why, reason);
  for (const { program } of [active, refused]) {
    const { code, stderr } = await runRealmwatch(["pair", "switch", "-server", program.base]);
    assert.equal(code, 1);
    assert.match(stderr, reason);
  }
}

test("[PA12, PA14, PA30] a member whose journal has another schema version waits, and the pair is whole once both are upgraded", {
  timeout: 400_000,
}, async (t) => {
  const newer = patchedAgent(t, [
    new RegExp(`(applicationId: ${journalKind.applicationId},\\s+version: )${journalKind.version},`),
    `$1${journalKind.version + 1},`,
  ]);
  const pair = await startPair(t);
  const { active: old, standby: upgraded } = await healthy(pair);
  const versions = `schema version (${journalKind.version + 1}, and that of fra-. has ${journalKind.version}|${journalKind.version}, and that of fra-. has ${journalKind.version + 1})`;
  const reason = new RegExp(`the journal of fra-. has ${versions}`);
  await comment(old, "1 by both");

  await t.test("the standby is upgraded, takes no part and says why", async () => {
    await upgraded.replace(newer);
    await refuses(upgraded, reason);
    await goesOnAlone(old, upgraded, reason);
    await comment(old, "2 by one");
  });

  await t.test("it does not take over, and the other one goes on where it was", async () => {
    await old.program.stop("SIGKILL");
    await sleep(takeoverMs);
    assert.equal((await pairAt(upgraded.program)).role, refusedRole);
    await old.program.restart();
    await untilPair("is active", old, isActive);
    await untilComments(old, "1 by both", "2 by one");
    await refuses(upgraded, reason);
  });

  await t.test(
    "the other one is upgraded too: it is active again with all of its data, and has a standby",
    async () => {
      await old.replace(newer);
      const { active, standby } = await healthy(pair);
      assert.deepEqual([active.name, standby.name], [old.name, upgraded.name]);
      for (const member of pair.members) await untilComments(member, "1 by both", "2 by one");
    },
  );

  await t.test("the build before does not open the journal again", async () => {
    await assert.rejects(upgraded.replace(undefined), /was written by a newer version \(schema \d+, known is \d+\)/);
  });
});

test("[PA12] a refused member is promoted by force once the other one is gone", { timeout: 200_000 }, async (t) => {
  const other = patchedAgent(t, [new RegExp(`(const linkVersion = )${linkVersion};`), `$1${linkVersion + 1};`]);
  const pair = await startPair(t);
  const { active, standby } = await healthy(pair);
  const reason = /the link of fra-. has version \d+, and that of fra-. has \d+/;
  await comment(active, "1 by both");
  await standby.replace(other);
  await refuses(standby, reason);
  await goesOnAlone(active, standby, reason);
  const refused = await runRealmwatch(["pair", "promote", "-force", "-yes", "-server", standby.program.base]);
  assert.deepEqual([refused.code, reason.test(refused.stderr)], [1, true], refused.stderr);

  await active.program.stop("SIGKILL");
  await promoteByForce(standby);
  await untilComments(standby, "1 by both");
  await active.program.restart();
  await refuses(active, reason);
  await active.replace(other);
  await untilPair("follows", active, isStandby);
  await healthy(pair);
});

test("[PA14] a lease is changed one member after the other: the one that holds it goes on", {
  timeout: 200_000,
}, async (t) => {
  const pair = await startPair(t);
  const { active, standby } = await healthy(pair);
  const reason = /-pair-lease of fra-. is \d+ ms, and that of fra-. is \d+ ms/;
  const longer = { "pair-lease": `${pairLeaseMs + 1_000}ms` };
  await comment(active, "1 by both");
  await standby.program.restart(longer);
  await refuses(standby, reason);
  await goesOnAlone(active, standby, reason);
  await comment(active, "2 by one");

  await active.program.stop("SIGKILL");
  await active.program.restart();
  await untilPair("is active again", active, isActive);
  await refuses(standby, reason);

  await active.program.restart(longer);
  const whole = await healthy(pair);
  assert.equal(whole.active.name, active.name);
  for (const member of pair.members) await untilComments(member, "1 by both", "2 by one");
});
