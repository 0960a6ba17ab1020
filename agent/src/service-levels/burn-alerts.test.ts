import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSloProcess } from "@realmwatch/shared/config/compile/compile-slo-process";
import type { SloPlan } from "@realmwatch/shared/config/plan";
import { ok } from "@realmwatch/shared/model/result";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { notifiesAnn, openTestRealm } from "../realm/fixtures/test-realm.fixture.ts";
import { burnAlertRules, judgeBurnRates, startBurnAlerts } from "./burn-alerts.ts";

type Rate = number | undefined;
const cases: [rates: [Rate, Rate, Rate, Rate], status: string | undefined][] = [
  [[0, 0, 0, 0], "ok"],
  [[14.4, 14.4, 0, 0], "critical"],
  [[14.3, 100, 5.9, 100], "ok"],
  [[100, 14.3, 0, 0], "ok"],
  [[0, 0, 6, 6], "critical"],
  [[0, 0, 100, 5.9], "ok"],
  [[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0], "critical"],
  [[undefined, undefined, undefined, undefined], undefined],
  [[100, undefined, 100, 0], undefined],
  [[100, undefined, 100, 100], "critical"],
  [[0, undefined, 0, undefined], "ok"],
];
for (const [rates, status] of cases)
  test(`[SL12] burn rates ${rates.join(", ")} over 1 h, 5 min, 6 h and 30 min are ${status}`, () => {
    const judged = judgeBurnRates(rates);
    assert.equal(judged?.status, status);
    if (judged !== undefined) assert.match(judged.output, /over 1 h, .* over 5 min, .* over 6 h, .* over 30 min$/);
  });

test("[SL12] a budget that burns too fast is a problem of the objective's process, which recovers with both rates", async () => {
  const slo: SloPlan = {
    ...{ name: "shop", selector: "app=shop", target: 99, period: "", excludeDowntimes: true },
    ...{ downStatuses: ["critical"], notification: "all" },
  };
  const process = compileSloProcess("shop", { policy: "all", notificationPeriod: "" });
  const quiet = { ...slo, name: "quiet", notification: "" };
  const realm = await openTestRealm(realmPlan([process], { ...notifiesAnn, slos: [slo, quiet] }));
  realm.start();
  let downShare: number | undefined = 0;
  const asked: string[] = [];
  const stop = startBurnAlerts({
    realm: realm.realm,
    serviceLevels: {
      async recent({ name }, windowsMs) {
        asked.push(name);
        assert.deepEqual(
          windowsMs,
          burnAlertRules.flatMap(({ long, short }) => [long.ms, short.ms]),
        );
        const share = downShare;
        return ok(
          windowsMs.map((ms) =>
            share === undefined ? { upMs: 0, downMs: 0 } : { upMs: ms * (1 - share), downMs: ms * share },
          ),
        );
      },
    },
    submitResult: (ref, result) => realm.inputs.submitResult(ref, result),
    clock: realm.clock,
  });
  const rowOf = () => realm.rows.get("process:slo:shop");
  await realm.pass(5_000);
  assert.equal(rowOf()?.status, "ok");
  downShare = 0.05;
  await realm.pass(30_000);
  assert.equal(rowOf()?.status, "ok", "five times the allowed rate is not an alert");
  downShare = 0.2;
  await realm.pass(30_000);
  assert.deepEqual([rowOf()?.status, rowOf()?.stateType], ["critical", "hard"]);
  assert.match(rowOf()?.output ?? "", /^the error budget burns too fast: 20\.0 over 1 h/);
  await realm.pass(30_000);
  assert.deepEqual(realm.notified, ["PROBLEM process:slo:shop"]);
  downShare = undefined;
  await realm.pass(30_000);
  assert.equal(rowOf()?.status, "critical", "time without evidence is not a recovery");
  downShare = 0;
  await realm.pass(30_000);
  assert.equal(rowOf()?.status, "ok");
  downShare = undefined;
  await realm.pass(30_000);
  assert.equal(rowOf()?.status, "ok", "time without evidence is not an alert");
  assert.deepEqual(realm.notified, ["PROBLEM process:slo:shop", "RECOVERY process:slo:shop"]);
  assert.ok(!asked.includes("quiet"));
  stop();
  const before = asked.length;
  await realm.pass(60_000);
  assert.equal(asked.length, before);
});
