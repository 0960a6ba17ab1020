import { DiscardPolicy, type JetStreamManager, NatsError, RetentionPolicy, StorageType, type StreamConfig } from "nats";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";

const msInNs = 1_000_000;
/** JetStream error codes that are handled. */
const codes = { notFound: 10059, nameInUse: 10058, noStorage: 10047, noResources: 10023 } as const;
/** Minimum useful size of a stream, bytes. */
const leastBytes = 16 * 1024 * 1024;

/**
 * Creates the streams that do not exist. An existing stream is not changed, since operators add replicas, sources and
 * limits; incompatible settings are reported.
 *
 * @returns one sentence per incompatible setting of an existing stream; empty when there is none
 * @throws NatsError when JetStream is unavailable, disabled, full or not permitted
 */
export async function ensureStreams(jsm: JetStreamManager, plans: readonly StreamPlan[]): Promise<readonly string[]> {
  const found = [];
  for (const plan of plans) found.push(...(await ensureStream(jsm, plan)));
  return found;
}

async function ensureStream(jsm: JetStreamManager, plan: StreamPlan): Promise<readonly string[]> {
  const existing = await configOf(jsm, plan.name);
  if (existing) return problemsOf(existing, plan);
  for (let maxBytes = plan.maxBytes; ; maxBytes /= 2) {
    try {
      await jsm.streams.add(configFor(plan, maxBytes));
      return [];
    } catch (error) {
      const code = apiCode(error);
      // Another process created the stream in the meantime.
      if (code === codes.nameInUse) return [];
      const full = code === codes.noStorage || code === codes.noResources;
      if (!full || maxBytes / 2 < leastBytes) throw error;
    }
  }
}

async function configOf(jsm: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (apiCode(error) === codes.notFound) return undefined;
    throw error;
  }
}

const configFor = (plan: StreamPlan, maxBytes: number): Partial<StreamConfig> => ({
  name: plan.name,
  subjects: [...plan.subjects],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_msgs_per_subject: plan.perSubject,
  max_age: plan.maxAgeMs * msInNs,
  max_bytes: maxBytes,
  duplicate_window: plan.duplicateWindowMs * msInNs,
});

function problemsOf(config: StreamConfig, plan: StreamPlan): string[] {
  const problems = [];
  const sourced = (config.sources ?? []).length > 0 || config.mirror !== undefined;
  const missing = plan.subjects.filter((subject) => !config.subjects?.includes(subject));
  if (!sourced && missing.length > 0) problems.push(`stream ${plan.name} does not accept ${missing.join(", ")}`);
  if (config.max_msgs_per_subject !== plan.perSubject)
    problems.push(
      `stream ${plan.name} has max_msgs_per_subject ${config.max_msgs_per_subject}, needed is ${plan.perSubject}`,
    );
  if (config.retention !== RetentionPolicy.Limits) problems.push(`stream ${plan.name} must have retention limits`);
  return problems;
}

/** JetStream error code; 0 for any other error. */
const apiCode = (error: unknown): number => (error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0);
