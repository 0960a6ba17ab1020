import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessPlan } from "@realmwatch/shared/config/plan";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, notifiesAnn, openTestRealm, process } from "../fixtures/test-realm.fixture.ts";
import { ProcessRanks } from "./process-ranks.ts";

test("[BP8] the rank of a process is above those that it reads", () => {
  const objects = [
    host("web1"),
    process("top", "web1", "process:low"),
    process("low", "process:deep"),
    process("deep", "web1"),
  ];
  const ranks = new ProcessRanks(new Map(objects.map((plan) => [plan.ref, plan])));
  assert.deepEqual(
    objects.map(({ ref }) => ranks.of(ref)),
    [0, 2, 1, 0],
  );
  assert.deepEqual(ranks.lowestOf(new Set(["process:top", "process:low"])), ["process:low"]);
});

test("[BP8] a change evaluates each process above it once, however many paths lead to it", async () => {
  const rungs = Array.from({ length: 6 }, (_, n) => {
    const below = n === 0 ? ["web1"] : ["web1", `process:left${n - 1}`, `process:right${n - 1}`];
    return [process(`left${n}`, ...below), process(`right${n}`, ...below)];
  });
  const it = await openTestRealm(realmPlan([...rungs.flat().reverse(), host("web1")], notifiesAnn));
  it.start();
  await it.send("web1", "ok");
  it.steps.length = 0;
  await it.send("web1", "critical");
  const above = it.steps.filter((ref) => ref.startsWith("process:"));
  assert.deepEqual(
    above.sort(),
    rungs
      .flat()
      .map(({ ref }) => ref)
      .sort(),
  );
});

test("[BP8] no process has a status from inputs that were never valid together", async () => {
  const top: ProcessPlan = {
    ...process("a-top", "web1", "process:b-low"),
    rule: {
      kind: "best",
      of: [
        { kind: "ref", ref: "web1" },
        { kind: "ref", ref: "process:b-low" },
      ],
    },
  };
  const low: ProcessPlan = {
    ...process("b-low", "web1"),
    rule: { kind: "not", of: { kind: "ref", ref: "web1" } },
  };
  const it = await openTestRealm(realmPlan([host("web1"), top, low], notifiesAnn));
  it.start();
  await it.send("web1", "ok");
  await it.send("web1", "critical");
  await it.send("web1", "ok");
  assert.deepEqual(
    it.history.filter(({ type, key }) => type === "state" && key?.name === "a-top").map(({ status }) => status),
    ["ok"],
  );
});
