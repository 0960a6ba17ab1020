import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent, type TestProgram, tempFolder } from "../../run/processes.ts";

/** Debian's libfaketime, which changes the wall clock of one process and not its monotonic clock. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const skip = existsSync(library) ? false : "libfaketime is not installed";

async function checksOf(agent: TestProgram): Promise<number> {
  const text = await (await fetch(`${agent.base}/metrics`)).text();
  return Number(/^realmwatch_checks_total\{type="tcp",result="critical"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

test("[SC15] a jump of the wall clock neither delays checks nor adds any, and is logged", { skip }, async (t) => {
  const clock = join(tempFolder(t), "clock");
  const set = (offset: string): void => writeFileSync(clock, `${offset}\n`);
  set("+0");
  const agent = await startTestAgent(t, {
    config: `hosts: web: {
	address: "127.0.0.1"
	check: {type: "tcp", address: "127.0.0.1:1", check_interval: "1s", retry_interval: "1s", flap: {}}
}
`,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  await until("checks run", async () => (await checksOf(agent)) > 1);
  for (const [offset, seconds] of [
    ["+1h", 3_600],
    ["-1h", -7_200],
    ["+3650d", 315_363_600],
  ] as const) {
    const startedMs = performance.now();
    const before = await checksOf(agent);
    set(offset);
    await until(`the jump by ${offset} is logged`, async () =>
      new RegExp(`"bySeconds":${seconds}\\D.*clock of this machine was set`).test(agent.output()),
    );
    assert.equal((await fetch(`${agent.base}/readyz`)).status, 200);
    await until(`checks continue after ${offset}`, async () => (await checksOf(agent)) >= before + 3);
    const checks = (await checksOf(agent)) - before;
    const passedS = (performance.now() - startedMs) / 1_000;
    assert.ok(checks <= passedS + 2, `${offset}: ${checks} checks in ${passedS.toFixed(1)} s, one a second is due`);
  }
});
