import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkQueueGroup, checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { encodeCheckAnswer } from "./check-answer.ts";
import { OfferEpochs } from "./offer-epochs.ts";
import { agentOn, doneAnswer, flushed, startZone, testZone, workerOn, zoneHostPlan } from "./zones.fixture.ts";

const nowMs = 1_795_000_000_000;
const dayMs = 86_400_000;

test("[PA47] an offer of an older epoch is refused, per realm, until nothing was heard of the newer one for ten minutes", () => {
  const clock = manualClock(nowMs);
  const epochs = new OfferEpochs(clock);
  for (const [afterMs, realm, epoch, isRefused] of [
    [0, "fra", nowMs, false],
    [0, "fra", undefined, false],
    [0, "fra", nowMs + 5, false],
    [0, "fra", nowMs, true],
    [0, "ams", nowMs, false],
    [599_999, "fra", nowMs, true],
    [0, "fra", nowMs + 5, false],
    [599_999, "fra", nowMs, true],
    [1, "fra", nowMs, false],
    // Such an epoch would outrank every later one.
    [0, "fra", nowMs + 2 * dayMs, false],
    [0, "fra", nowMs, false],
  ] as const) {
    clock.advance(afterMs);
    assert.equal(epochs.whyRefused(realm, epoch) !== "", isRefused, `${afterMs} ${realm} ${epoch}`);
  }
});

test("[PA47] a worker refuses the checks of the member that lost the realm, and an agent drops answers to another epoch", async () => {
  await using zone = await startZone(["box"]);
  const { agentBus, workers } = zone;
  const [bus] = workers;
  assert.ok(bus);
  const stop = workerOn(bus, "box:1", async () => doneAnswer);
  await flushed(bus);
  const epoch = systemClock.now();
  const [older, newer] = [agentOn(agentBus, "fra", epoch), agentOn(agentBus, "fra", epoch + 1)];
  assert.equal((await older.run(zoneHostPlan(5_000))).status, "ok");
  assert.equal((await newer.run(zoneHostPlan(5_000))).status, "ok");
  const late = await older.run(zoneHostPlan(5_000));
  assert.match(
    `${late.status}: ${late.output}`,
    /^unknown: .*refused the check: it is of epoch \d+, and epoch \d+ of the/,
  );
  assert.equal((await agentOn(agentBus).run(zoneHostPlan(5_000))).status, "ok");
  stop();
  await flushed(bus);
  bus.live()?.subscribe(checkSubject("fra", testZone), {
    queue: checkQueueGroup,
    callback(_, message) {
      message.respond(encodeCheckAnswer("late", doneAnswer, epoch));
      message.respond(encodeCheckAnswer("old release", doneAnswer));
    },
  });
  await flushed(bus);
  assert.equal((await newer.run(zoneHostPlan(5_000))).source, "old release");
});
