import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GetServerInfoResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { fail, ok } from "@realmwatch/shared/model/result";
import { realmAlerts } from "./realm-alerts.ts";

const infoWith = (alerts: number, lastMs: number) =>
  ok({
    message: create(GetServerInfoResponseSchema, {
      unmappedAlerts: Array.from({ length: alerts }, (_, at) => ({
        receiver: "prom",
        labels: { at: String(at) },
        count: 1,
        lastSeen: timestampFromMs(lastMs - at),
      })),
    }),
    matched: undefined,
  });

test("[AR19] alerts of all realms are listed, those seen last first, at most 50; realms are asked every 30 s", async () => {
  const clock = manualClock(0);
  const answers = new Map([
    ["fra", infoWith(2, 5_000)],
    ["ams", infoWith(60, 4_000)],
  ]);
  let asked: string[] = [];
  let realms = ["fra", "ams", "sin"];
  const list = realmAlerts({
    forwarder: () => ({
      forward: async (realm) => {
        asked.push(realm);
        return answers.get(realm) ?? fail({ kind: "unavailable", what: "is away" });
      },
    }),
    realms: async () => realms,
    timeoutMs: 5_000,
    clock,
  });
  const first = await list();
  assert.deepEqual(
    first.slice(0, 3).map(({ realm, labels }) => `${realm} ${labels["at"]}`),
    ["fra 0", "fra 1", "ams 0"],
  );
  assert.equal(first.length, 50);
  await list();
  assert.deepEqual(asked, ["fra", "ams", "sin"]);
  realms.push("nyc");
  await list();
  assert.deepEqual(asked, ["fra", "ams", "sin", "nyc"], "a new one is asked at once");
  // One that does not answer any more keeps its last answer, one that is not heard loses it.
  asked = [];
  answers.delete("fra");
  realms = ["fra"];
  clock.advance(30_000);
  assert.deepEqual(
    (await list()).map(({ realm }) => realm),
    ["fra", "fra"],
  );
  assert.deepEqual(asked, ["fra"]);
});

test("[AR19] a realm that does not answer delays the list by at most a second", async () => {
  const clock = manualClock(0);
  const list = realmAlerts({
    forwarder: () => ({ forward: () => new Promise(() => {}) }),
    realms: async () => ["fra"],
    timeoutMs: 5_000,
    clock,
  });
  const listed = list();
  await setImmediate();
  clock.advance(1_000);
  assert.deepEqual(await listed, []);
});
