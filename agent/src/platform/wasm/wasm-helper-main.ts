/**
 * A helper process: it runs WASM modules in threads for the process that forked it. Whatever a module or its
 * compilation does to this process, the other one goes on. It ends with its parent.
 */
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { FromWasmHelper, ToWasmHelper } from "./wasm-protocol.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";
import { WasmThread } from "./wasm-thread.ts";

/** The one that ran last is taken first: its modules are compiled. */
const idle: WasmThread[] = [];
const running = new Map<number, WasmThread>();

function start(id: number, request: WasmRequest): void {
  const thread = idle.pop() ?? new WasmThread(systemClock);
  running.set(id, thread);
  thread.run(request, (outcome) => {
    running.delete(id);
    if (!thread.dead) idle.push(thread);
    tell({ id, outcome: { ...outcome } as WasmOutcome });
  });
}

function tell(done: FromWasmHelper): void {
  // The callback takes the error of a parent that has gone; "disconnect" deals with that.
  if (process.connected) process.send?.(done, () => {});
}

process.on("message", (order: ToWasmHelper) => {
  if (order.kind === "start") start(order.id, order.request);
  else running.get(order.id)?.abort();
});
process.on("disconnect", () => process.exit(0));

// A terminal or a service manager signals the whole group; when to end is the parent's decision.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
