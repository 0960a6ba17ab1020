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

/** Message, cause and stack of an error, the message and the cause in the first line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${describe(error.cause).split("\n")[0]})`;
  return `${error.message.split("\n")[0]}${cause}\n${error.stack ?? ""}`;
}

// Exits instead of dying, so that the programs of the benchmark are ended.
process.on("SIGTERM", () => process.exit(143));

try {
  const module = (await import(resolve(process.argv[2] ?? ""))) as Record<string, unknown>;
  for (const [bench, run] of Object.entries(module)) {
    if (!bench.startsWith("bench") || typeof run !== "function") continue;
    try {
      await send({ bench, rows: await (run as Bench)() });
    } catch (error) {
      await send({ bench, error: describe(error) });
    }
  }
} catch (error) {
  await send({ bench: "the file", error: error instanceof Error ? error.message : String(error) });
}
// A benchmark may leave connections open that would keep the process running.
process.exit(0);
