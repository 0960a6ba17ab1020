import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { manualClock } from "../../model/manual-clock.fixture.ts";
import { receiveNotifications } from "./notify-socket.fixture.ts";
import { openServiceManager } from "./service-manager.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-notify-"));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const name of [join(folder, "socket"), `@realmwatch-test-${process.pid}`])
  test(`[SV1, SV2] ${name.startsWith("@") ? "an abstract socket" : "a socket"} receives ready, watchdog and stop notifications`, () => {
    const heard = receiveNotifications(name, { after });
    const clock = manualClock(0);
    const env: Record<string, string> = {
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: "20000000",
      WATCHDOG_PID: "7",
      HOME: "/",
    };
    let why: string | undefined;
    const manager = openServiceManager({ env, pid: 7, clock });
    assert.deepEqual(env, { HOME: "/" }, "no program that is started inherits it");
    assert.deepEqual(heard(), []);
    manager.ready("realm fra\nREADY=0", () => why);
    assert.deepEqual(heard(), ["READY=1\nSTATUS=realm fra READY=0", "WATCHDOG=1"]);
    clock.advance(10_000);
    assert.deepEqual(heard(), ["WATCHDOG=1"]);
    why = "the engine has not had a turn";
    clock.advance(10_000);
    assert.deepEqual(heard(), [], "a dead engine is not said to be alive");
    why = undefined;
    clock.advance(10_000);
    assert.deepEqual(heard(), ["WATCHDOG=1"]);
    manager.stopping();
    clock.advance(10_000);
    assert.deepEqual(heard(), ["STOPPING=1"]);
  });

test("[SV1] a watchdog for another process is not patted, and without a socket nothing happens", () => {
  const name = join(folder, "other");
  const heard = receiveNotifications(name, { after });
  const clock = manualClock(0);
  const env = { NOTIFY_SOCKET: name, WATCHDOG_USEC: "20000000", WATCHDOG_PID: "8" };
  openServiceManager({ env, pid: 7, clock }).ready("", () => undefined);
  assert.deepEqual(heard(), ["READY=1\nSTATUS="]);
  for (const socket of ["", "relative", "@", `/${"x".repeat(200)}`, join(folder, "nobody")]) {
    const manager = openServiceManager({ env: { NOTIFY_SOCKET: socket }, pid: 7, clock });
    manager.ready("", () => undefined);
    manager.stopping();
  }
});
