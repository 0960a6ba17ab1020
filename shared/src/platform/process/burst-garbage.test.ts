import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapStatistics } from "node:v8";
import { until } from "../testing/until.fixture.ts";
import { collectBurstGarbage } from "./burst-garbage.ts";

const usedMb = (): number => Math.round(getHeapStatistics().used_heap_size / 2 ** 20);

test("[PT46] a thread gives back what a burst has left although it has nothing more to do", async () => {
  collectBurstGarbage();
  const startMb = usedMb();
  let burst: string[][] = Array.from({ length: 500 }, (_, n) => Array.from({ length: 10_000 }, (_, m) => `${n} ${m}`));
  assert.ok(burst.length > 0 && usedMb() > startMb + 100, `${startMb} and ${usedMb()} MB`);
  burst = [];
  await until("the garbage is collected", () => usedMb() < startMb + 64, { seen: usedMb });
});
