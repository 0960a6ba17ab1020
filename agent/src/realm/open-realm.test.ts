import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptedCommand, Command } from "@realmwatch/shared/commands/commands";
import type { ObjectPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { ok } from "@realmwatch/shared/model/result";
import { schedulePlan } from "../engine/plans.fixture.ts";
import { realmPlan } from "./fixtures/realm-plan.fixture.ts";
import { policyAll } from "./fixtures/test-realm.fixture.ts";
import { recoverRealm } from "./open-realm.ts";

const key = { kind: "service", host: "web1", name: "job" } as const;
const job = {
  ...{ ref: "web1!job", key, host: "web1", about: { key, labels: {} }, policy: "" },
  check: { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "unknown" },
  schedule: { ...schedulePlan, maxAttempts: 1 },
  flap: { enabled: false },
} as unknown as ServicePlan;
const ann = { name: "ann", type: "email", labels: {}, notificationPeriod: "", address: "x", groupWaitMs: 0 } as const;
const plan = realmPlan([job], { contacts: new Map([["ann", ann]]) });

const accept = (command: Command, seq: number): AcceptedCommand => ({
  seq,
  atMs: 5,
  author: "ann",
  onBehalfOf: "",
  command,
});

/** A realm with accepted commands that are not applied yet, and the output of its listeners. */
async function openReplaying(commands: readonly AcceptedCommand[], realm = plan) {
  const [catalogs, applied, notified]: [Catalog[], number[], string[]] = [[], [], []];
  const stored = { states: new Map(), program: undefined, commands, lastCommandSeq: commands.at(-1)?.seq ?? 0 };
  const clock = manualClock(1_000_000);
  const recovered = recoverRealm({ name: "fra", plan: realm, clock, epoch: 1, stored });
  const open = await recovered.open({
    journal: {
      append: async ({ appliedCommandSeq }) => {
        applied.push(appliedCommandSeq);
        return ok({ lastHistorySeq: 1 });
      },
    },
    run: () => Promise.reject(new Error("no check is expected")),
    zones: new Set(),
    source: "fra",
    maxConcurrentChecks: 1,
    listeners: {
      rowsChanged: () => {},
      catalogChanged: (catalog) => void catalogs.push(catalog),
      historyAdvanced: () => {},
      resultDropped: () => {},
      notify: (some) => void notified.push(...some.map(({ contact, kind }) => `${contact} ${kind}`)),
      handle: () => {},
      journalFailed: () => {},
      journalHealed: () => {},
      checkEnded: () => {},
    },
  });
  return { open, catalogs, applied, notified };
}

test("commands that a crash left unapplied are applied first, realm toggles included", async () => {
  const { open, catalogs, applied } = await openReplaying([
    accept({ kind: "set_program_toggle", toggle: "eventHandlers", enabled: false }, 7),
    accept({ kind: "set_contact_notifications", contact: "ann", enabled: false }, 8),
    accept({ kind: "add_comment", ref: "web1!job", id: "c1", text: "kept" }, 9),
  ]);
  assert.equal(catalogs.at(-1)?.toggles.eventHandlers, false);
  assert.equal(catalogs.at(-1)?.contacts[0]?.notificationsEnabled, false);
  assert.equal(open.realm.records.get("web1!job")?.state.comments[0]?.text, "kept");
  assert.equal(open.realm.commentRefs.get("c1"), "web1!job");
  assert.equal(applied.at(-1), 9);
});

test("notifications of replayed commands wait for the start of the realm", async () => {
  const objects = new Map<string, ObjectPlan>([[job.ref, { ...job, policy: "all" }]]);
  const custom: Command = { kind: "send_custom_notification", refs: ["web1!job"], comment: "note" };
  const { open, applied, notified } = await openReplaying([accept(custom, 3)], {
    ...plan,
    objects,
    policies: policyAll("ann"),
  });
  assert.deepEqual([applied.at(-1), notified], [3, []]);
  open.start();
  assert.deepEqual(notified, ["ann CUSTOM"]);
  await open.stop(0);
});
