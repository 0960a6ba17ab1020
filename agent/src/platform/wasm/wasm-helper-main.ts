/**
 * Helper process that runs WASM modules in threads for its parent, so that a module or its compilation cannot crash the
 * agent. Exits with its parent.
 */
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { FromWasmHelper, ToWasmHelper } from "./wasm-protocol.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";
import { WasmThread } from "./wasm-thread.ts";

/** Stack of idle threads: the most recently used one is taken first, because it has compiled modules. */
const idle: WasmThread[] = [];
const running = new Map<number, WasmThread>();

function start(id: number, request: WasmRequest): void {
  const thread = idle.pop() ?? new WasmThread(systemClock);
  running.set(id, thread);
  thread.run(request, (outcome) => {
    running.delete(id);
    if (!thread.dead) idle.push(thread);
    send({ id, outcome: { ...outcome } as WasmOutcome });
  });
}

function send(done: FromWasmHelper): void {
  // The callback ignores the error of a parent that has exited; "disconnect" is emitted then.
  if (process.connected) process.send?.(done, () => {});
}

process.on("message", (order: ToWasmHelper) => {
  if (order.kind === "start") start(order.id, order.request);
  else running.get(order.id)?.abort();
});
process.on("disconnect", () => process.exit(0));

// A terminal or a service manager signals the whole process group; the parent decides when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
