import assert from "node:assert/strict";
import { test } from "node:test";
import { healthy, startPair } from "../../faults/pair/pair-environment.ts";
import { isActive, type PairTestMember, toldBy, untilPair } from "../../faults/pair/pair-member.ts";
import { call } from "../../run/call.ts";

test("[PA51, PA58, PA59] both members log a takeover once, and say when and why it was after both were restarted", {
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
  await untilPair("is active", standby, isActive);
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
