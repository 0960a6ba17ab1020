import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { healthy, startPair } from "../../faults/pair/pair-environment.ts";
import { isActive, type PairTestMember, pairAt, toldBy } from "../../faults/pair/pair-member.ts";
import { call } from "../../run/call.ts";
import { hostTarget } from "../../run/rows.ts";

test("[PA51, PA58, PA59, PA61] a takeover is logged once by both members, which say when and why after a restart", {
  timeout: 200_000,
}, async (t) => {
  const pair = await startPair(t);
  const { active, standby } = await healthy(pair);
  await active.program.stop("SIGKILL");
  const command = await call(standby.program.base, "QueryService/GetCheckCommand", {
    object: { host: { name: "h0" } },
  });
  assert.match(command.code, /^(unavailable|deadline_exceeded)$/);
  assert.match(command.message, new RegExp(`^standby: the active is ${active.name}`));
  await until("it is active", async () => isActive(await pairAt(standby.program)), { everyMs: 0 });
  // At once: its agent is still starting.
  const comment = { target: hostTarget("h0"), author: "ann", text: "first" };
  const [commented, read] = await Promise.all([
    call(standby.program.base, "CommandService/AddComment", comment),
    call(standby.program.base, "QueryService/GetCheckCommand", { object: { host: { name: "h0" } } }),
  ]);
  assert.deepEqual([commented.code, commented.message], ["", ""]);
  assert.doesNotMatch(read.message, /standby/);
  await active.program.restart();
  await healthy(pair);
  const text = `takeover from ${active.name} to ${standby.name}: expired`;
  const logged = ({ program }: PairTestMember) =>
    program
      .output()
      .split("\n")
      .filter((line) => line.includes(`"pair: ${text}"`))
      .map((line) => (JSON.parse(line) as { readonly level: string }).level);
  for (const member of pair.members) assert.deepEqual(logged(member), ["warn"], member.name);

  // The standby first: nothing is handed over.
  for (const member of [active, standby]) await member.program.stop();
  for (const member of pair.members) await member.program.restart();
  await healthy(pair);
  for (const member of pair.members) {
    const { printed, metrics } = await toldBy(member);
    assert.match(
      printed,
      new RegExp(`^last takeover +\\d{4}-.*, from ${active.name} to ${standby.name}: expired$`, "m"),
    );
    assert.deepEqual([logged(member), metrics.get('takeovers_total{reason="expired"}') ?? 0], [["warn"], 0]);
  }
});
