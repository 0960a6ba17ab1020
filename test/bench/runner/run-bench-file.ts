// Child of the runner: runs the benchmarks of the file that it is called with, and sends their rows.
import { resolve } from "node:path";
import type { BenchRow } from "../bench-row.ts";

/** Message to the runner: the rows of one benchmark, or why it failed. */
export type BenchMessage = { readonly bench: string } & (
  | { readonly rows: readonly BenchRow[] }
  | { readonly error: string }
);

type Bench = () => readonly BenchRow[] | Promise<readonly BenchRow[]>;

const send = (message: BenchMessage): Promise<void> =>
  new Promise((done) => (process.send === undefined ? done() : process.send(message, () => done())));

// Exits instead of dying, so that the programs of the benchmark are ended.
process.on("SIGTERM", () => process.exit(143));

try {
  const module = (await import(resolve(process.argv[2] ?? ""))) as Record<string, unknown>;
  for (const [bench, run] of Object.entries(module)) {
    if (!bench.startsWith("bench") || typeof run !== "function") continue;
    try {
      await send({ bench, rows: await (run as Bench)() });
    } catch (error) {
      await send({ bench, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
} catch (error) {
  await send({ bench: "the file", error: error instanceof Error ? error.message : String(error) });
}
// A benchmark may leave connections open that would keep the process running.
process.exit(0);
