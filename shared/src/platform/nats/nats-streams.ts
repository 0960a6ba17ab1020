import { DiscardPolicy, type JetStreamManager, NatsError, RetentionPolicy, StorageType, type StreamConfig } from "nats";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";

const msInNs = 1_000_000;
/** JetStream's error codes that matter here. */
const codes = { notFound: 10059, nameInUse: 10058, noStorage: 10047, noResources: 10023 } as const;
/** A stream that got less than this would lose what it is for. */
const leastBytes = 16 * 1024 * 1024;

/**
 * Creates the streams that are missing. One that exists is left as it is, since operators add replicas,
 * sources and limits; what would break us in it is told.
 *
 * @returns sentences about existing streams that cannot work as they are; empty where all is well
 * @throws NatsError where JetStream is away, off, full or forbidden
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
      // Another process was faster: what it made is as good as ours.
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
  if (!sourced && missing.length > 0) problems.push(`stream ${plan.name} does not take ${missing.join(", ")}`);
  if (config.max_msgs_per_subject !== plan.perSubject)
    problems.push(
      `stream ${plan.name} has max_msgs_per_subject ${config.max_msgs_per_subject}, needed is ${plan.perSubject}`,
    );
  if (config.retention !== RetentionPolicy.Limits) problems.push(`stream ${plan.name} must have retention limits`);
  return problems;
}

/** JetStream's own error code; 0 where the error is another one. */
const apiCode = (error: unknown): number => (error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0);
