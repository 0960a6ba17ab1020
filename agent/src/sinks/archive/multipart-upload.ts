import { type AttemptResult, type DeliveryFailure, delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { writeStateFile } from "../runner/state-file.ts";
import type { ObjectStore } from "./object-store.ts";

/** Size of a part, bytes. S3 demands at least 5 MiB for all but the last, and allows 10 000 parts. */
const partBytes = 16_777_216;
const maxParts = 10_000;

/** An upload in parts, stored in a file so that a restart continues it. */
export type UploadState = {
  readonly key: string;
  /** Number of the last event of the segment. */
  readonly lastSeq: number;
  readonly bytes: number;
  /** Undefined before the store has begun the upload. */
  readonly uploadId?: string | undefined;
  /** ETags of the parts that the store has, in order. */
  readonly etags: readonly string[];
};

type MultipartOptions = {
  readonly store: ObjectStore;
  readonly statePath: string;
  /** Reads bytes of the segment. */
  readonly read: (offset: number, length: number) => Buffer;
};

/** Uploads a segment in parts and continues where an earlier attempt ended. */
export async function uploadInParts(
  begun: UploadState,
  { store, statePath, read }: MultipartOptions,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const size = Math.max(partBytes, Math.ceil(begun.bytes / maxParts));
  let state = begun;
  if (state.uploadId === undefined) {
    const response = await store.send({ method: "POST", key: state.key, query: { uploads: "" } }, signal);
    if (response.kind !== "response") return response;
    const uploadId = /<UploadId>([^<]+)</.exec(response.body)?.[1];
    if (uploadId === undefined) return malformedResponse;
    state = { ...state, uploadId, etags: [] };
    writeStateFile(statePath, state);
  }
  const { key, uploadId = "" } = state;
  while (state.etags.length * size < state.bytes) {
    const offset = state.etags.length * size;
    const partNumber = `${state.etags.length + 1}`;
    const body = read(offset, Math.min(size, state.bytes - offset));
    const response = await store.send({ method: "PUT", key, query: { partNumber, uploadId }, body }, signal);
    if (response.kind !== "response") return forgetMissing(response, state, statePath);
    const etag = response.headers["etag"];
    if (typeof etag !== "string") return malformedResponse;
    state = { ...state, etags: [...state.etags, etag] };
    writeStateFile(statePath, state);
  }
  const parts = state.etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  const response = await store.send({ method: "POST", key, query: { uploadId }, body }, signal);
  if (response.kind !== "response") return forgetMissing(response, state, statePath);
  // The store may report a failure after it has sent the status of a success.
  return response.body.includes("<Error>") ? malformedResponse : delivered;
}

const malformedResponse = retry("server", "the store's answer to an upload in parts is not understood");

/** Begins anew at the next attempt when the store does not know the upload any more. */
function forgetMissing(failure: DeliveryFailure, { uploadId: _, ...rest }: UploadState, path: string): DeliveryFailure {
  if (failure.quote?.includes("NoSuchUpload")) writeStateFile(path, { ...rest, etags: [] });
  return failure;
}
