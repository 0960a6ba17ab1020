import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import type { BenchRow } from "../bench-row.ts";
import { quickVariable } from "./bench-size.ts";
import type { BenchMessage } from "./run-bench-file.ts";

/** Time after which a file of benchmarks is ended, ms. */
const limitMs = 3_600_000;

type FileRun = { readonly rows: readonly BenchRow[]; readonly failures: readonly string[] };

/** Runs the benchmarks of one file of the checkout in `folder` in a process of their own, so that none warms up another. */
export async function runBenchFile(
  file: string,
  { folder, quick }: { readonly folder: string; readonly quick: boolean },
): Promise<FileRun> {
  const rows: BenchRow[] = [];
  const failures: string[] = [];
  const child = fork(join(folder, "test/bench/runner/run-bench-file.ts"), [join(folder, file)], {
    cwd: folder,
    env: { ...process.env, ...(quick ? { [quickVariable]: "1" } : {}) },
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const forget = cleanUpAtExit(() => child.kill());
  const timer = setTimeout(() => child.kill(), limitMs);
  child.on("message", (message) => {
    const found = message as BenchMessage;
    if ("rows" in found) rows.push(...found.rows);
    else failures.push(`${found.bench}: ${found.error}`);
  });
  // The last message may arrive after the end of the process, but before the end of the channel.
  const [[code, signal]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  clearTimeout(timer);
  forget();
  if (code !== 0) failures.push(`the process ended with ${code ?? signal}`);
  return { rows, failures };
}
