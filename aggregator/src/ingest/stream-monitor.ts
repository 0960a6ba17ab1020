import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { findForeignStreams } from "@realmwatch/shared/platform/nats/foreign-streams";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams, streamInfo } from "@realmwatch/shared/platform/nats/nats-streams";
import { centreStreams, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamManager, NatsConnection } from "nats";
import { fillWarning, formatFill, type StreamFill, streamFill } from "./stream-fill.ts";

type StreamMonitorOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly metrics: Pick<Metrics, "observableGauges">;
  /** Number of replicas that an operator demands; undefined: as many as the cluster allows, at most 3. */
  readonly replicas: number | undefined;
};

/** State of the streams as the operator needs it. */
export type StreamReport = {
  /** Errors that an operator has to correct, and warnings of a stream that is nearly full; empty when all is well. */
  readonly problems: readonly string[];
  /** Sizes as last read; while NATS is away, that they are not known. */
  readonly summary: string;
};

/** Interval at which the sizes are read and missing streams created, ms. */
const readEveryMs = 2_000;
/** Interval at which settings and replicas are corrected and other streams of the subjects searched, ms. */
const correctEveryMs = 60_000;

/** Creates and corrects the streams while NATS is connected, and watches their sizes. */
export function openStreamMonitor(options: StreamMonitorOptions) {
  const { bus, clock, log } = options;
  const closing = new AbortController();
  let correctedMs = Number.NEGATIVE_INFINITY;
  let fills: readonly StreamFill[] = [];
  let error = "";
  let corrected: readonly string[] = [];
  let logged: ReadonlySet<string> = new Set();
  let wake = new AbortController();

  const problems = (): readonly string[] => [
    ...(error === "" ? [] : [error]),
    ...corrected,
    ...fills.map(fillWarning).filter((warning) => warning !== undefined),
  ];
  async function look(connection: NatsConnection): Promise<void> {
    const jsm = await connection.jetstreamManager();
    const read = await readFills(jsm);
    const isWhole = read.length === centreStreams.length;
    // At once: the identity is waited for, and the search below takes seconds where NATS is slow.
    if (isWhole) fills = read;
    if (!isWhole || clock.monotonic() - correctedMs > correctEveryMs) {
      const { changes, problems: found } = await setUpStreams(jsm, centreStreams, options);
      for (const change of changes) log.info({ change }, "NATS: a stream was changed");
      corrected = [...found, ...(await findForeignStreams(connection, centreStreams, clock))];
      correctedMs = clock.monotonic();
    }
    if (!isWhole) fills = await readFills(jsm);
    error = "";
  }
  /** Logs each problem once, until it is gone. Percentages change, so a warning is known by its stream. */
  function logProblems(): void {
    const now = new Map(problems().map((problem) => [problem.replace(/\d+/g, ""), problem]));
    for (const [key, problem] of now)
      if (!logged.has(key)) log.error({ problem }, "NATS: the streams need an operator");
    logged = new Set(now.keys());
  }
  const stopUp = bus.onUp(() => {
    correctedMs = Number.NEGATIVE_INFINITY;
    wake.abort();
  });
  const ended = (async () => {
    while (!closing.signal.aborted) {
      const connection = bus.live();
      if (connection)
        await look(connection).catch((thrown: unknown) => {
          error = `the streams cannot be read: ${errorText(thrown)}`;
        });
      if (bus.live()) logProblems();
      await sleep(clock, readEveryMs, AbortSignal.any([closing.signal, wake.signal]));
      if (wake.signal.aborted) wake = new AbortController();
    }
  })();
  registerStreamMetrics(options.metrics, { fills: () => fills, problems: () => problems().length });
  return {
    report: () =>
      bus.live() === undefined
        ? { problems: [], summary: "not known while NATS is away" }
        : { problems: problems(), summary: fills.map(formatFill).join(", ") },
    /**
     * Identity of the streams: the time at which `SVC_STATE` was made, which differs between two NATS systems and survives
     * restarts and restores. As last read; empty before.
     */
    identity: () => fills.find(({ plan }) => plan === stateStream)?.createdAt ?? "",
    async close() {
      stopUp();
      closing.abort();
      await ended;
    },
  };
}

async function readFills(jsm: JetStreamManager): Promise<readonly StreamFill[]> {
  const fills: StreamFill[] = [];
  for (const plan of centreStreams) {
    const info = await streamInfo(jsm, plan.name);
    if (info !== undefined) fills.push(streamFill(plan, info));
  }
  return fills;
}

function registerStreamMetrics(
  metrics: StreamMonitorOptions["metrics"],
  read: { readonly fills: () => readonly StreamFill[]; readonly problems: () => number },
): void {
  const byStream = (of: (fill: StreamFill) => number) => () =>
    read.fills().map((fill) => ({ labels: { stream: fill.plan.name }, value: of(fill) }));
  metrics.observableGauges({
    nats_stream_bytes: ["Size of a stream.", byStream(({ bytes }) => bytes), "stream"],
    nats_stream_max_bytes: [
      "Size at which a stream is full; infinite when it has no maximum.",
      byStream(({ maxBytes }) => maxBytes),
      "stream",
    ],
    nats_stream_problems: [
      "Errors of the streams that an operator has to correct; /readyz and the log name them.",
      read.problems,
    ],
  });
}
