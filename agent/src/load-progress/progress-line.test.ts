import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { ProgressLine } from "./progress-line.ts";

const clear = "\r\u001b[K";

test("[RL27] the line is rewritten in place, in time too, and removed at the end", () => {
  const written: string[] = [];
  const clock = manualClock();
  const line = new ProgressLine({ columns: 0, write: (text) => written.push(text) }, clock);
  clock.advance(300);
  line.show({ stage: "evaluate" });
  line.show({ stage: "evaluate", fraction: 0.456 });
  line.close();
  clock.advance(10_000);
  assert.deepEqual(written, [
    `${clear}checking: start, 0.0 s`,
    `${clear}checking: start, 0.2 s`,
    `${clear}checking: evaluate, 0.3 s`,
    `${clear}checking: evaluate 45 %, 0.3 s`,
    clear,
  ]);
});

test("[RL27] the line is narrower than the terminal", () => {
  const written: string[] = [];
  new ProgressLine({ columns: 10, write: (text) => written.push(text) }, manualClock()).close();
  assert.deepEqual(written, [`${clear}checking:`, clear]);
});
