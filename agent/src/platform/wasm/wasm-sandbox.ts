import { WASI } from "node:wasi";
import type { ModuleImports, ModuleInstance } from "./wasm-engine.ts";
import { wasiImportModule } from "./wasm-module-cache.ts";
import type { WasmOutput } from "./wasm-output.ts";

/** Error numbers defined by WASI preview 1. */
const errno = { ok: 0, badFile: 8, fault: 21, invalid: 28, notSupported: 52 } as const;
/** Maximum buffers of one `fd_write`. */
const maxBuffers = 1_024;
const [subscriptionBytes, eventBytes] = [48, 32];
const maxSubscriptions = 64;

/** Functions of Node.js that only read what a run is given. The others could reach files of the helper process. */
const offered: ReadonlySet<string> = new Set([
  ...["args_get", "args_sizes_get", "environ_get", "environ_sizes_get", "clock_res_get", "clock_time_get"],
  ...["random_get", "sched_yield", "proc_exit", "fd_fdstat_get", "fd_filestat_get", "fd_prestat_get"],
]);

export type WasmSandbox = {
  readonly imports: ModuleImports;
  /** Runs the command and returns its exit code. Throws when it traps. */
  start(instance: ModuleInstance): number;
};

/**
 * Creates the WASI imports of one run. Output is captured; there are no directories and no sockets.
 *
 * @param argv path of the module and its arguments
 */
export function openWasmSandbox(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  output: WasmOutput,
): WasmSandbox {
  const wasi = new WASI({ version: "preview1", args: [...argv], env: { ...env }, returnOnExit: true });
  let memory: { readonly buffer: ArrayBuffer } | undefined;
  const guest = (): DataView => new DataView(memory?.buffer ?? new ArrayBuffer(0));
  const time = wasi.wasiImport["clock_time_get"] as (clock: number, precision: bigint, out: number) => number;
  const own = {
    fd_write: guarded((fd, pieces, count, written) => {
      if (fd !== 1 && fd !== 2) return errno.badFile;
      if (count > maxBuffers) return errno.invalid;
      let total = 0;
      for (const bytes of buffersAt(guest(), pieces, count)) {
        output.write(fd === 1 ? 0 : 1, bytes);
        total += bytes.length;
      }
      guest().setUint32(written, total, true);
      return errno.ok;
    }),
    fd_read: guarded((fd, _pieces, _count, read) => {
      if (fd !== 0) return errno.badFile;
      guest().setUint32(read, 0, true);
      return errno.ok;
    }),
    // Node.js' implementation would close the file of the whole helper process.
    fd_close: (fd: number) => (fd >>> 0 <= 2 ? errno.ok : errno.badFile),
    // Node.js' implementation would block the thread in a system call, which terminating the thread cannot end.
    poll_oneoff: guarded((subscriptions, events, count, occurred) => {
      if (count === 0 || count > maxSubscriptions) return errno.invalid;
      const waits = Array.from({ length: count }, (_, n) => {
        const at = subscriptions + n * subscriptionBytes;
        return { at, ms: waitMs(guest(), at, (clock) => now(clock, events)) };
      });
      const shortest = Math.min(...waits.map(({ ms }) => ms));
      if (shortest > 0) output.sleep(shortest);
      const due = waits.filter(({ ms }) => ms <= shortest);
      for (const [n, { at }] of due.entries()) writeEvent(guest(), at, events + n * eventBytes);
      guest().setUint32(occurred, due.length, true);
      return errno.ok;
    }),
    // A signal would hit the whole helper process.
    proc_raise: () => errno.notSupported,
  };

  /** Time in ns, passed through module memory at `scratch`, which the caller overwrites afterwards. */
  function now(clock: number, scratch: number): bigint {
    time(clock, 0n, scratch);
    return guest().getBigUint64(scratch, true);
  }

  return {
    imports: { [wasiImportModule]: { ...withoutFiles(wasi.wasiImport), ...own } },
    start(instance) {
      memory = instance.exports["memory"] as { readonly buffer: ArrayBuffer };
      return wasi.start(instance) ?? 0;
    },
  };
}

/** [WA2] The functions with refusals in place of those that are not offered. */
const withoutFiles = (functions: ModuleImports[string]): ModuleImports[string] =>
  Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [name, offered.has(name) ? value : () => errno.badFile]),
  );

type Call = (first: number, second: number, third: number, fourth: number) => number;

/** Converts arguments to unsigned numbers; a pointer outside the memory returns an error number instead of a trap. */
const guarded =
  (call: Call): Call =>
  (first, second, third, fourth) => {
    try {
      return call(first >>> 0, second >>> 0, third >>> 0, fourth >>> 0);
    } catch (error) {
      if (error instanceof RangeError) return errno.fault;
      throw error;
    }
  };

/** Buffers of the list at `list`, which has the pointer and the length of each. */
function* buffersAt(view: DataView, list: number, count: number): Iterable<Uint8Array> {
  for (let at = list; at < list + 8 * count; at += 8)
    yield new Uint8Array(view.buffer, view.getUint32(at, true), view.getUint32(at + 4, true));
}

/** Waiting time of the subscription at `at`, ms; 0 for files, because the only one is the empty standard input. */
function waitMs(view: DataView, at: number, now: (clock: number) => bigint): number {
  if (view.getUint8(at + 8) !== 0) return 0;
  const timeout = view.getBigUint64(at + 24, true);
  const isAbsolute = view.getUint16(at + 40, true) & 1;
  const left = isAbsolute ? timeout - now(view.getUint32(at + 16, true)) : timeout;
  return Math.max(0, Number(left) / 1_000_000);
}

function writeEvent(view: DataView, subscription: number, event: number): void {
  const [name, kind] = [view.getBigUint64(subscription, true), view.getUint8(subscription + 8)];
  for (let byte = 0; byte < eventBytes; byte++) view.setUint8(event + byte, 0);
  view.setBigUint64(event, name, true);
  view.setUint8(event + 10, kind);
}
