import { sleep } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";
import type { CliContext } from "../../cli-command.ts";
import { type CliFailure, commandFailed } from "../../output/cli-failure.ts";
import { type DesignCount, designCounts } from "./by-design.ts";
import { NotificationPairs } from "./notification-pairs.ts";
import type { Observation, ObservedSystem } from "./observed-object.ts";
import { orderResults, type Submission } from "./order-results.ts";
import { ShadowAgent } from "./shadow-agent.ts";
import { hasAll, resultsFor, type ShadowedObject } from "./shadow-results.ts";
import { instantText, type ShadowDifference, StateDifferences } from "./state-differences.ts";
import type { HostParents } from "./state-reasons.ts";

/** Comparison of both systems so far. Times are RFC 3339. */
export type ShadowReport = {
  readonly server: string;
  readonly other: string;
  readonly from: string;
  readonly to: string;
  /** Readings of the other system. */
  readonly readings: number;
  /** Readings and exchanges with the agent that failed, and were repeated. */
  readonly failures: number;
  /** Results submitted to the agent. */
  readonly submitted: number;
  /** Objects in the latest comparison, and all of the other system. */
  readonly compared: number;
  readonly objects: number;
  readonly notifications: NotificationPairs["counts"];
  /** Past differences that are not listed. */
  readonly omitted: number;
  /** Differences that the agent has by design, which are not listed. */
  readonly byDesign: readonly DesignCount[];
  readonly differences: readonly ShadowDifference[];
};

type ShadowOptions = Pick<CliContext, "server" | "clock" | "report"> & {
  readonly other: ObservedSystem;
  readonly forMs: number;
  /** File for the report; undefined for none. */
  readonly reportFile: string | undefined;
  /** Ends the run early. */
  readonly stop: AbortSignal;
};

/** Time between two readings of the other system, ms. */
const pollMs = 2_000;
/** Time after which the report is written although no states were compared, ms. */
const reportMs = 30_000;

/** Feeds the agent with what the other system sees and compares both, until the time is over or the run is stopped. */
export async function runShadow(options: ShadowOptions): Promise<Result<ShadowReport, CliFailure>> {
  const { clock, forMs, stop, report } = options;
  const endsAtMs = clock.monotonic() + forMs;
  const shadow = new Shadow(options);
  const first = await shadow.round();
  if (!first.ok) return first;
  let [written, writtenAtMs] = [await shadow.write(), clock.monotonic()];
  if (!written.ok) return written;
  let failing = "";
  while (!stop.aborted && clock.monotonic() < endsAtMs) {
    await sleep(clock, Math.min(pollMs, endsAtMs - clock.monotonic()), stop);
    const round = await shadow.round();
    const failure = round.ok ? "" : round.error.lines.join("; ");
    // An outage of hours is one line, not one every other second.
    if (failure !== "" && failure !== failing) report(`${failure}; trying again`);
    failing = failure;
    const isDue = clock.monotonic() - writtenAtMs >= reportMs;
    if (!isDue && !(round.ok && round.value.hasCompared)) continue;
    [written, writtenAtMs] = [await shadow.write(), clock.monotonic()];
    if (!written.ok && failing === "") report(written.error.lines.join("; "));
  }
  const last = await shadow.write();
  return last.ok ? ok(shadow.report()) : last;
}

/** Result of a round; `hasCompared`: states were compared, so that the report may have changed. */
type RoundOutcome = { readonly hasCompared: boolean };

/** State of one run. */
class Shadow {
  readonly #options: ShadowOptions;
  readonly #agent: ShadowAgent;
  readonly #states = new StateDifferences();
  readonly #pairs = new NotificationPairs();
  readonly #from: number;
  #observation: Observation | undefined;
  #parents: HostParents | undefined;
  #counts = { readings: 0, failures: 0, submitted: 0 };
  /** Time of the latest result that was submitted of each object, Unix ms: a result that the agent drops is not repeated. */
  readonly #submitted = new Map<string, number>();
  /** True when the present reading was compared with a state of the agent that has all of its results. */
  #isCompared = false;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.#agent = new ShadowAgent(options.server, options.clock);
    this.#from = options.clock.now();
  }

  /** Reads the other system, submits its new results and compares. */
  async round(): Promise<Result<RoundOutcome, CliFailure>> {
    const done = await this.#tryRound();
    if (!done.ok) this.#counts.failures += 1;
    return done;
  }

  async #tryRound(): Promise<Result<RoundOutcome, CliFailure>> {
    const read = await this.#options.other.read();
    if (!read.ok) return commandFailed(read.error);
    if (read.value !== undefined) {
      this.#observation = read.value;
      this.#counts.readings += 1;
      this.#isCompared = false;
    }
    // A reading is used again, because the exchange with the agent may have failed after it.
    const observation = this.#observation;
    const hasCompared = observation !== undefined && !this.#isCompared;
    if (hasCompared) {
      const compared = await this.#feedAndCompare(observation, read.value !== undefined);
      if (!compared.ok) return compared;
    }
    const decided = await this.#agent.notifications();
    if (!decided.ok) return decided;
    this.#pairs.decided(decided.value, (ref) => this.#states.reasons.reasonOf(ref));
    return ok({ hasCompared });
  }

  async #feedAndCompare(observation: Observation, isNew: boolean): Promise<Result<undefined, CliFailure>> {
    const before = await this.#agent.objects();
    if (!before.ok) return before;
    if (isNew) this.#pairs.observe(observation, before.value);
    const parents = await this.#agentParents();
    if (!parents.ok) return parents;
    const submissions = this.#submissions(observation, before.value);
    const results = orderResults(submissions, {
      ...{ dialect: observation.dialect, shadowed: before.value, parents: parents.value },
    });
    const submitted = await this.#agent.submit(results);
    if (!submitted.ok) return submitted;
    this.#counts.submitted += results.length;
    for (const { ref, executedAtMs } of results) this.#submitted.set(ref, executedAtMs);
    const after = results.length === 0 ? before : await this.#agent.objectsAfter(results);
    if (!after.ok) return after;
    const agent = { objects: after.value, parents: parents.value };
    this.#states.compare(observation, agent, this.#options.clock.now());
    this.#isCompared = hasAll(after.value, results);
    return ok(undefined);
  }

  /** Parents of hosts, which are read once: another document of the agent is another comparison. */
  async #agentParents(): ReturnType<ShadowAgent["parents"]> {
    if (this.#parents === undefined) {
      const parents = await this.#agent.parents();
      if (!parents.ok) return parents;
      this.#parents = parents.value;
    }
    return ok(this.#parents);
  }

  #submissions(observation: Observation, objects: ReadonlyMap<string, ShadowedObject>): readonly Submission[] {
    return observation.objects.flatMap((observed) => {
      const shadowed = objects.get(observed.ref);
      if (shadowed === undefined || this.#submitted.get(observed.ref) === observed.checkedAtMs) return [];
      const results = resultsFor(observed, shadowed);
      return results.length === 0 ? [] : [{ observed, shadowed, results }];
    });
  }

  report(): ShadowReport {
    const { server, other, clock } = this.#options;
    return {
      ...{ server: server.url, other: other.name, from: instantText(this.#from), to: instantText(clock.now()) },
      ...this.#counts,
      compared: this.#states.compared,
      objects: this.#observation?.known.size ?? 0,
      notifications: this.#pairs.counts,
      omitted: this.#states.omitted + this.#pairs.counts.omitted,
      byDesign: designCounts(this.#states.reasons.counts, this.#pairs.designCounts),
      differences: [...this.#states.list(), ...this.#pairs.list()],
    };
  }

  /** Writes the report, so that a run that is killed has one. */
  async write(): Promise<Result<undefined, CliFailure>> {
    const { reportFile } = this.#options;
    if (reportFile === undefined) return ok(undefined);
    const written = await replacePrivateFile(reportFile, `${JSON.stringify(this.report(), undefined, 2)}\n`);
    return written.ok ? written : commandFailed(`${reportFile} cannot be written: ${written.error}`);
  }
}
