// Runs programs through a pool in a process of its own, which a test can limit or kill.
// Usage: run-programs.ts 'JSON of a ProgramWork'; prints `ready`, then the JSON of a ProgramReport.

import { openProgramPool } from "@realmwatch/agent/platform/programs/program-pool";
import type { ProgramCounts, ProgramOutcome, ProgramRequest } from "@realmwatch/agent/platform/programs/program-runner";
import { systemClock } from "@realmwatch/shared/platform/system-clock";

/** Programs to run: `requests` concurrently, then `afterwards` one by one. */
export type ProgramWork = {
  readonly native: boolean;
  readonly requests: readonly ProgramRequest[];
  readonly afterwards?: readonly ProgramRequest[];
};

export type ProgramReport = {
  readonly outcomes: readonly ProgramOutcome[];
  readonly afterwards: readonly ProgramOutcome[];
  readonly counts: ProgramCounts;
};

const work = JSON.parse(process.argv[2] ?? "") as ProgramWork;
const pool = openProgramPool({ clock: systemClock, native: work.native });
console.log("ready");
const outcomes = await Promise.all(work.requests.map((request) => pool.run(request)));
const afterwards: ProgramOutcome[] = [];
for (const request of work.afterwards ?? []) afterwards.push(await pool.run(request));
console.log(JSON.stringify({ outcomes, afterwards, counts: pool.counts() } satisfies ProgramReport));
await pool.close();
