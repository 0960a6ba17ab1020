import { DiscardPolicy, type JetStreamManager, RetentionPolicy, StorageType, type StreamConfig } from "nats";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";
import { newStreamDescription } from "./stream-identity.ts";
import { firstTrial, isPeerError, isStorageError, jetStreamErrorCode, shareOf, trialSizes } from "./stream-size.ts";

export const msInNs = 1_000_000;
const nameInUse = 10058;

export const discardPolicy = ({ discard }: StreamPlan): DiscardPolicy =>
  discard === "new" ? DiscardPolicy.New : DiscardPolicy.Old;

const configFor = (plan: StreamPlan, size: StreamSize): Partial<StreamConfig> => ({
  name: plan.name,
  subjects: [...plan.subjects],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: discardPolicy(plan),
  max_msgs_per_subject: plan.perSubject,
  max_age: plan.maxAgeMs * msInNs,
  max_bytes: size.maxBytes,
  num_replicas: size.replicas,
  duplicate_window: plan.duplicateWindowMs * msInNs,
  ...(plan.maxMessageBytes === undefined ? {} : { max_msg_size: plan.maxMessageBytes }),
  ...(plan.identified === true ? { description: newStreamDescription(), allow_direct: false } : {}),
});

type StreamSize = { readonly maxBytes: number; readonly replicas: number };

type CreateStreamOptions = {
  /** Greatest number of replicas to try. */
  readonly replicas: number;
  /** Storage that is free for the stream and others, bytes; Infinity when unknown. */
  readonly freeBytes: number;
};

/**
 * Creates a stream with as many replicas and as much of its planned size as the broker has.
 *
 * @returns the size, and the storage that was found to be free, bytes; undefined when the stream exists by now
 * @throws NatsError when no size fits, or JetStream is unavailable or not permitted
 */
export async function createStream(
  jsm: JetStreamManager,
  plan: StreamPlan,
  { replicas, freeBytes }: CreateStreamOptions,
): Promise<(StreamSize & { readonly freeBytes: number }) | undefined> {
  for (let wanted = replicas; ; wanted--) {
    try {
      const found = await createSized(jsm, plan, { replicas: wanted, freeBytes: freeBytes / wanted });
      return { ...found, replicas: wanted, freeBytes: found.freeBytes * wanted };
    } catch (error) {
      if (jetStreamErrorCode(error) === nameInUse) return undefined;
      if (wanted <= 1 || !(isStorageError(error) || isPeerError(error))) throw error;
    }
  }
}

async function createSized(jsm: JetStreamManager, plan: StreamPlan, { replicas, freeBytes }: CreateStreamOptions) {
  const known = Number.isFinite(freeBytes);
  let refused: unknown;
  for (const maxBytes of trialSizes(known ? shareOf(freeBytes, plan.maxBytes) : firstTrial(plan.maxBytes), plan)) {
    try {
      await jsm.streams.add(configFor(plan, { maxBytes, replicas }));
    } catch (error) {
      if (!isStorageError(error)) throw error;
      refused = error;
      continue;
    }
    if (known) return { maxBytes, freeBytes };
    // The size that was accepted is what is free; the stream keeps its share of it.
    const kept = shareOf(maxBytes, plan.maxBytes);
    if (kept < maxBytes) await jsm.streams.update(plan.name, { max_bytes: kept });
    return { maxBytes: kept, freeBytes: maxBytes };
  }
  throw refused;
}
