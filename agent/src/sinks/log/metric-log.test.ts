import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { PendingBatch } from "../runner/pending-batch.ts";
import type { MetricEntry } from "../sink-type.ts";
import { sinkFolder } from "../sinks.fixture.ts";
import { openMetricLog } from "./metric-log.ts";
import { openMetricLogStore } from "./metric-log-store.ts";
import { openMetricLogFile } from "./open-metric-log-file.ts";

const entry = (value: number): MetricEntry => ({
  object: { key: { kind: "host", name: "h" }, labels: { a: "b" }, zone: "z", checkType: "icmp", parents: [] },
  atMs: value,
  label: "l",
  value,
  uom: "ms",
  warn: "1:2",
  crit: "",
  min: 0,
  max: undefined,
});
const unexpected = (what: string): void => assert.fail(what);

test("[SK2] the log gives back what was appended, also after it was opened again", (t) => {
  const path = join(sinkFolder(t), "metrics.db");
  const first = openMetricLog({ store: openMetricLogStore(path, unexpected), onFailure: unexpected });
  first.append([entry(1), entry(2)], 5);
  first.append([entry(3)], 6);
  first.close();
  const second = openMetricLog({ store: openMetricLogStore(path, unexpected), onFailure: unexpected });
  assert.deepEqual([second.start(), second.end()], [1, 4]);
  assert.deepEqual(second.read(2, 10), { from: 2, entries: [entry(2)], recordedAtMs: 5 });
  assert.deepEqual(second.read(3, 10).entries, [entry(3)]);
  second.deleteBelow(4);
  assert.deepEqual([second.start(), second.end()], [4, 4]);
  second.close();
  const third = openMetricLog({ store: openMetricLogStore(path, unexpected), onFailure: unexpected });
  assert.equal(third.end(), 4, "numbers are not used twice");
  third.close();
});

test("[SK9] beyond its size the log deletes its oldest entries, and a reader learns how many it lost", (t) => {
  const store = openMetricLogStore(join(sinkFolder(t), "metrics.db"), unexpected);
  const log = openMetricLog({ store, maxBytes: 2_000, onFailure: unexpected });
  for (let value = 1; value <= 200; value += 1) log.append([entry(value)], value);
  assert.ok(store.bytes() <= 2_000);
  const pending = new PendingBatch(log, () => true, 1);
  const { lost } = pending.fill(1_000);
  assert.ok(lost > 100);
  assert.equal(lost + pending.entries.length, 200);
  log.close();
});

test("[SK9] while the disk fails the newest entries stay in memory", () => {
  const store = openMetricLogStore(":memory:", unexpected);
  let isFull = true;
  const failures: string[] = [];
  const log = openMetricLog({
    store: {
      ...store,
      add(block) {
        if (isFull) throw new Error("database or disk is full");
        store.add(block);
      },
    },
    onFailure: (why) => failures.push(why),
  });
  for (let value = 1; value <= 10; value += 1) log.append([entry(value)], value);
  assert.deepEqual(failures, ["database or disk is full"], "reported once");
  assert.deepEqual(log.read(10, 5).entries, [entry(10)]);
  isFull = false;
  log.retryWrites();
  assert.equal(store.next(), 11);
});

test("[SK9] a damaged block is skipped and reported, and a damaged file put aside", (t) => {
  const path = join(sinkFolder(t), "metrics.db");
  const first = openMetricLog({ store: openMetricLogStore(path, unexpected), onFailure: unexpected });
  for (let value = 1; value <= 3; value += 1) first.append([entry(value)], value);
  first.close();
  const db = new DatabaseSync(path);
  db.exec("UPDATE block SET data = zeroblob(20) WHERE first = 2");
  db.close();
  const damaged: string[] = [];
  const second = openMetricLogStore(path, (what) => damaged.push(what));
  assert.equal(second.read(2)?.first, 3);
  assert.deepEqual(damaged, ["entries 2 to 2"]);
  second.close();
  writeFileSync(path, "garbage".repeat(1_000));
  const errors: object[] = [];
  const log = { error: (fields: object) => void errors.push(fields) };
  const third = openMetricLogFile(path, { clock: systemClock, log: log as never });
  third.append([entry(1)], 1);
  assert.equal(third.end(), 2);
  assert.equal(errors.length, 1);
  third.close();
});
