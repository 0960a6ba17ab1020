import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { isRunning } from "../../testing/is-running.fixture.ts";
import { until } from "../../testing/until.fixture.ts";
import { ProcessGroup, sharedProcessGroup } from "./process-group.ts";

for (const way of ["end", "endNow"] as const)
  test(`[RL17] a program whose thread is stopped during its start is ended by ${way}`, async () => {
    const shared = sharedProcessGroup();
    const released = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData = { shared, released };
    const worker = new Worker(new URL("./slow-start-worker.fixture.ts", import.meta.url), { workerData });
    const [pid] = (await once(worker, "message")) as [number];
    const group = new ProcessGroup(shared);
    const release = (): void => {
      Atomics.store(released, 0, 1);
      Atomics.notify(released, 0);
    };
    if (way === "end") {
      const ending = group.end();
      assert.equal(isRunning(pid), true);
      release();
      await ending;
    } else {
      release();
      group.endNow();
    }
    await worker.terminate();
    await until("the end of the program", () => !isRunning(pid));
  });

test("[RL17] a group that was ended starts no program, and ends nothing twice", async () => {
  const shared = sharedProcessGroup();
  const group = new ProcessGroup(shared);
  const start = () => spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  const first = group.start(start);
  assert.throws(() => group.start(start), /a program is running already/);
  first.kill();
  await once(first, "exit");
  group.finish();
  const second = group.start(start);
  await group.end();
  assert.deepEqual(await once(second, "exit"), [null, "SIGKILL"]);
  group.finish();
  await group.end();
  group.endNow();
  assert.throws(() => group.start(start), /the thread is being closed/);
});
