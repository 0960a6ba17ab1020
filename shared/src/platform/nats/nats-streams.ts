import type { JetStreamManager, StreamInfo } from "nats";
import { type Clock, sleep } from "../../model/clock.ts";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";
import { createStream } from "./create-stream.ts";
import { mendStream, type StreamSetup } from "./mend-stream.ts";
import { accountFreeBytes, isStorageError, jetStreamErrorCode, leastStreamBytes } from "./stream-size.ts";

/** Greatest number of replicas by default: with three, any one server may fail. */
const defaultReplicas = 3;
const notFound = 10059;
/** Error of subjects that another stream of the account stores. */
const overlappingSubjects = 10065;

type StreamSetupOptions = {
  /** Number of replicas that an operator demands; undefined: as many as the cluster allows, at most 3. */
  readonly replicas?: number | undefined;
};

/**
 * Creates missing streams and corrects existing ones. Corrections lose no message that is still needed; the number of
 * replicas is only raised, and the size of an existing stream is kept. Idempotent; several processes may run it.
 *
 * @throws NatsError when JetStream is unavailable, disabled or not permitted
 */
export async function setUpStreams(
  jsm: JetStreamManager,
  plans: readonly StreamPlan[],
  options: StreamSetupOptions = {},
): Promise<StreamSetup> {
  const changes: string[] = [];
  const problems: string[] = [];
  let freeBytes: number | undefined;
  for (const plan of plans) {
    const existing = await streamInfo(jsm, plan.name);
    const done = existing ? await correct(jsm, existing, plan, options) : await create(plan);
    changes.push(...done.changes);
    problems.push(...done.problems);
  }
  return { changes, problems };

  async function create(plan: StreamPlan): Promise<StreamSetup> {
    freeBytes ??= await accountFreeBytes(jsm);
    const replicas = options.replicas ?? defaultReplicas;
    try {
      const made = await createStream(jsm, plan, { replicas, freeBytes });
      if (made === undefined) return { changes: [], problems: [] };
      // All streams share what was free before the first one was created.
      freeBytes = made.freeBytes;
      return {
        changes: [`stream ${plan.name} created: ${mib(made.maxBytes)}, ${formatReplicas(made.replicas)}`],
        problems: tooFew(plan, made.replicas, options),
      };
    } catch (error) {
      return { changes: [], problems: [await explainCreateError(jsm, plan, error)] };
    }
  }
}

const pollMs = 100;
/** Time in which the process that creates streams does so after a connect, ms. */
const createdWithinMs = 5_000;

/** Waits until the streams exist. Rejects when one is missing after 5 s or at an abort, or JetStream is unavailable. */
export async function awaitStreams(
  jsm: JetStreamManager,
  plans: readonly StreamPlan[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const deadline = clock.monotonic() + createdWithinMs;
  for (const { name } of plans)
    while ((await streamInfo(jsm, name)) === undefined) {
      if (signal.aborted || clock.monotonic() >= deadline) throw new Error(`NATS has no stream ${name}`);
      await sleep(clock, pollMs, signal);
    }
}

/** Reads a stream; undefined when it does not exist. */
export async function streamInfo(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(name);
  } catch (error) {
    if (jetStreamErrorCode(error) === notFound) return undefined;
    throw error;
  }
}

async function correct(
  jsm: JetStreamManager,
  existing: StreamInfo,
  plan: StreamPlan,
  options: StreamSetupOptions,
): Promise<StreamSetup> {
  const mended = await mendStream(jsm, existing, plan);
  // A broker without a cluster accepts a greater number and ignores it.
  const clustered = existing.cluster?.name !== undefined;
  const before = clustered ? existing.config.num_replicas : 1;
  const wanted = clustered ? (options.replicas ?? defaultReplicas) : 1;
  const replicas = await raiseReplicas(jsm, plan.name, { from: before, to: wanted });
  return {
    changes: [
      ...mended.changes,
      ...(replicas > before ? [`stream ${plan.name}: ${formatReplicas(replicas)} instead of ${before}`] : []),
    ],
    problems: [...mended.problems, ...tooFew(plan, replicas, options)],
  };
}

/** Raises the replicas of a stream as far as the cluster has servers. @returns their number now */
async function raiseReplicas(
  jsm: JetStreamManager,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  for (let wanted = to; wanted > from; wanted--) {
    try {
      await jsm.streams.update(name, { num_replicas: wanted });
      return wanted;
    } catch (error) {
      // An error without a code is not an answer of JetStream: the connection was lost.
      if (jetStreamErrorCode(error) === 0) throw error;
    }
  }
  return from;
}

function tooFew({ name }: StreamPlan, replicas: number, { replicas: demanded = 1 }: StreamSetupOptions): string[] {
  return replicas >= demanded
    ? []
    : [`stream ${name} has ${formatReplicas(replicas)}, -nats-replicas demands ${demanded}: NATS has too few servers`];
}

async function explainCreateError(jsm: JetStreamManager, plan: StreamPlan, error: unknown) {
  const { name, subjects } = plan;
  if (isStorageError(error))
    return `stream ${name} cannot be created: JetStream has less than ${mib(leastStreamBytes(plan))} of storage left`;
  if (jetStreamErrorCode(error) !== overlappingSubjects) throw error;
  const others = new Set<string>();
  for (const subject of subjects) for (const other of await jsm.streams.names(subject).next()) others.add(other);
  return `stream ${name} cannot be created: stream ${[...others].join(", ")} captures its subjects; delete that one, or take ${subjects.join(" and ")} from it`;
}

const formatReplicas = (count: number): string => `${count} replica${count === 1 ? "" : "s"}`;
const mib = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
