import { type JetStreamManager, NatsError, StorageType } from "nats";

/** Minimum useful size of a stream, bytes. */
export const leastStreamBytes = 16 * 1024 * 1024;

/** Largest part of the free storage that one stream takes. Two streams leave a fifth, for consumers and other streams. */
const shareOfFree = 0.4;
/** Factor between two tries to find out how much storage is free. */
const tryFactor = 0.8;

/** JetStream error codes of storage that is not available; a cluster says that no peer has enough. */
const noStorageCodes: readonly number[] = [10023, 10028, 10047, 10005];

/** JetStream error code; 0 for any other error. */
export const jetStreamErrorCode = (error: unknown): number =>
  error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0;

export const isStorageError = (error: unknown): boolean => noStorageCodes.includes(jetStreamErrorCode(error));

/** Size of a stream for which `freeBytes` of storage are free, bytes. */
export const shareOf = (freeBytes: number, wantedBytes: number): number =>
  Math.min(wantedBytes, Math.max(leastStreamBytes, Math.floor(freeBytes * shareOfFree)));

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

/**
 * Sizes to try for a stream of which `wantedBytes` are the share, greatest first, bytes. The first that the server
 * accepts is about what it has free.
 */
export function* trialSizes(wantedBytes: number): Generator<number> {
  for (let bytes = wantedBytes / shareOfFree; bytes > leastStreamBytes; bytes *= tryFactor) yield Math.floor(bytes);
  yield leastStreamBytes;
}
