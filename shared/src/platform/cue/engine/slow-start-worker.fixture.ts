import { spawn } from "node:child_process";
import { parentPort, workerData } from "node:worker_threads";
import { ProcessGroup } from "./process-group.ts";

// Starts a program and posts its process ID, but returns from its start only when it is released.
const { shared, released } = workerData as { readonly shared: Int32Array; readonly released: Int32Array };
new ProcessGroup(shared).start(() => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  parentPort?.postMessage(child.pid);
  Atomics.wait(released, 0, 0);
  return child;
});
