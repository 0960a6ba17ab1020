import { type JetStreamManager, NatsError, StorageType } from "nats";
import type { StreamPlan } from "../../wire/nats/nats-subjects.ts";

const leastBytes = 16 * 1024 * 1024;

/** Minimum useful size of a stream, bytes. */
export const leastStreamBytes = ({ maxBytes }: Pick<StreamPlan, "maxBytes">): number => Math.min(leastBytes, maxBytes);

/** Largest part of the free storage that one stream takes. Two streams leave a fifth, for consumers and other streams. */
const shareOfFree = 0.4;
/** Factor between two tries to find out how much storage is free. */
const tryFactor = 0.8;

/** JetStream error codes: storage that is not available, peers that cannot take a stream, and a broker without cluster. */
const codes = { storage: [10023, 10028, 10047], noPeers: 10005, notClustered: 10074 } as const;

/** JetStream error code; 0 for any other error. */
export const jetStreamErrorCode = (error: unknown): number =>
  error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0;

/** True when a smaller stream may fit. A cluster says only in words why no peer can take a stream. */
export function isStorageError(error: unknown): boolean {
  const code = jetStreamErrorCode(error);
  if (code === codes.noPeers) return /storage/.test((error as NatsError).message);
  return codes.storage.some((storage) => storage === code);
}

/** True when the broker has fewer servers than replicas were demanded. */
export function isPeerError(error: unknown): boolean {
  const code = jetStreamErrorCode(error);
  return code === codes.notClustered || (code === codes.noPeers && !isStorageError(error));
}

/** Size of a stream for which `freeBytes` of storage are free, bytes. */
export const shareOf = (freeBytes: number, wantedBytes: number): number =>
  Math.min(wantedBytes, Math.max(leastBytes, Math.floor(freeBytes * shareOfFree)));

/**
 * Reads how much storage the account's limit leaves, bytes. Infinity when the account has none: then only a try shows
 * how much the server has.
 */
export async function accountFreeBytes(jsm: JetStreamManager): Promise<number> {
  const { limits } = await jsm.getAccountInfo();
  if (limits.max_storage < 0) return Number.POSITIVE_INFINITY;
  let reserved = 0;
  for await (const { config, state } of jsm.streams.list())
    if (config.storage === StorageType.File)
      reserved += Math.max(config.max_bytes, state.bytes) * Math.max(1, config.num_replicas);
  return Math.max(0, limits.max_storage - reserved);
}

/** Size to try first when the free storage is unknown, bytes: what must be free for a stream of the wanted size. */
export const firstTrial = (wantedBytes: number): number => wantedBytes / shareOfFree;

/** Sizes to try for a stream, from `first` down to the least, bytes. The first accepted one is about what is free. */
export function* trialSizes(first: number, plan: Pick<StreamPlan, "maxBytes">): Generator<number> {
  const least = leastStreamBytes(plan);
  for (let bytes = first; bytes > least; bytes *= tryFactor) yield Math.floor(bytes);
  yield least;
}
