import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import { outcome } from "@realmwatch/shared/model/outcome";
import { ok } from "@realmwatch/shared/model/result";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { recoverRealm } from "../open-realm.ts";

const flap = { enabled: false, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false };
const schedule = { checkIntervalMs: 100, retryIntervalMs: 100, timeoutMs: 10_000, maxAttempts: 1, checkPeriod: "" };

function hostOf(name: string): HostPlan {
  const key = { kind: "host", name } as const;
  return {
    ...{ ref: name, key, address: "192.0.2.1", vars: {}, policy: "", flap, digest: "", schedule },
    ...{ parents: [], children: [], services: [], handler: "", handlerEnabled: false },
    about: { ...blankMetadata, key, checkType: "tcp", zone: "default" },
    check: { type: "tcp", host: "192.0.2.1", port: 1 },
  };
}

const hosts = Array.from({ length: 8 }, (_, n) => hostOf(`web${n}`));

test("[SC13] all objects are checked while the disk is slow", async () => {
  const checked = new Set<string>();
  const all = Promise.withResolvers<void>();
  const disk = Promise.withResolvers<void>();
  const ignore = (): void => {};
  const stored = { states: new Map(), program: undefined, commands: [], lastCommandSeq: 0 };
  const recovered = recoverRealm({ name: "fra", plan: realmPlan(hosts), clock: systemClock, epoch: 1, stored });
  const open = await recovered.open({
    journal: {
      append: async () => {
        await disk.promise;
        return ok({ lastHistorySeq: 1 });
      },
    },
    async run({ ref }) {
      checked.add(ref);
      if (checked.size === hosts.length) all.resolve();
      return { ...outcome("ok", "fine"), executionMs: 1 };
    },
    zones: new Set(["default"]),
    source: "fra",
    maxConcurrentChecks: 1,
    listeners: {
      ...{ rowsChanged: ignore, catalogChanged: ignore, historyAdvanced: ignore, resultDropped: ignore },
      ...{ notify: ignore, handle: ignore, journalFailed: ignore, journalHealed: ignore, checkEnded: ignore },
    },
  });
  open.start();
  await all.promise;
  disk.resolve();
  await open.stop(1000);
  assert.ok([...open.realm.records.values()].every(({ state }) => state.phase.kind === "ok"));
});
