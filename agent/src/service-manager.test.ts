import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import koffi from "koffi";
import { openServiceManager } from "./service-manager.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-notify-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a service manager listens on. `@` begins an abstract name. */
function listen(name: string): () => string[] {
  const libc = koffi.load(null);
  const fd = libc.func("int socket(int, int, int)")(1, 2, 0);
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
  const address = Buffer.concat([Buffer.from([1, 0]), path]);
  assert.equal(libc.func("int bind(int, const void *, uint32_t)")(fd, address, address.length), 0);
  const recv = libc.func("long recv(int, void *, size_t, int)");
  after(() => libc.func("int close(int)")(fd));
  return () => {
    const said: string[] = [];
    for (const buffer = Buffer.alloc(4096); ; ) {
      const length = Number(recv(fd, buffer, buffer.length, 0x40));
      if (length < 0) return said;
      said.push(buffer.toString("utf8", 0, length));
    }
  };
}

for (const name of [join(folder, "socket"), `@realmwatch-test-${process.pid}`])
  test(`[SV1, SV2] ${name.startsWith("@") ? "an abstract socket" : "a socket"} receives ready, watchdog and stop notifications`, () => {
    const heard = listen(name);
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
  const heard = listen(name);
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
