import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { openRealmRepair } from "./realm-repair.ts";

test("[FD4] a realm that stays behind is read again and published again in turn; after three rounds it is an error, and the rounds go on", (t) => {
  const clock = manualClock(1_000);
  const steps: string[] = [];
  const errors: object[] = [];
  let isBehind = true;
  const repair = openRealmRepair({
    clock,
    log: { info() {}, warn() {}, error: (fields: object) => void errors.push(fields) },
    realms: () => ["fra", "ams"],
    isBehind: (realm) => realm === "fra" && isBehind,
    readAgain: (realm) => void steps.push(`read ${realm}`),
    onRound: (realm, outcome) => void steps.push(`${outcome} ${realm}`),
  });
  t.after(repair.close);
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      const wants = repair.wantsRepublication("fra");
      if (wants !== (steps.at(-1) === "publish fra")) steps.push(wants ? "publish fra" : "no longer");
      assert.equal(repair.wantsRepublication("ams"), false);
    }
  };
  pass(55);
  assert.deepEqual(
    steps.filter((step) => step !== "no longer"),
    [1, 2, 3].flatMap(() => ["started fra", "read fra", "publish fra"]).concat("started fra", "failed fra", "read fra"),
  );
  assert.deepEqual(errors, [{ realm: "fra", rounds: 3 }]);
  isBehind = false;
  pass(2);
  assert.equal(steps.at(-1), "repaired fra");
  assert.equal(repair.wantsRepublication("fra"), false);
});
