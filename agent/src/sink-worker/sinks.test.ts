import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { fileSink, sinkFolder } from "../sinks/sinks.fixture.ts";
import { Sinks } from "./sinks.ts";

test("a thread that failed is started again after 5 s, but not after the sinks were closed", async (t) => {
  const clock = manualClock();
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, text = "") => void errors.push(text) };
  // Without a journal the thread cannot open its history.
  const dataDir = sinkFolder(t);
  const sinks = new Sinks({ clock, log, dataDir, realm: "fra", lastHistorySeq: 0, outboundDeny: "" });
  await sinks.configure(realmPlan([], { sinks: [fileSink("lines", join(dataDir, "lines"))] }));
  const failure = "the thread of the sinks failed and is started again";
  assert.deepEqual([errors, clock.nextInMs()], [[failure], 5_000]);
  clock.advance(5_000);
  await until("the thread has failed again", () => errors.length === 2);
  await sinks.close(1_000);
  assert.equal(clock.nextInMs(), Number.POSITIVE_INFINITY);
});
