import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ExecuteRequest, ExecuteRequestSchema, type RealmObjects } from "@realmwatch/proto/svc/v1/realm_pb";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { TextLimits, TextStore } from "@realmwatch/shared/platform/text-store";

/** Limits of the selections that are stored. */
export const selectionLimits: TextLimits = { keptMs: 86_400_000, maxTexts: 1_000, maxLength: 64 * 1024 * 1024 };

/** Maximum size of one selection, bytes before compression: 100 000 objects with long names. */
const maxSelectionBytes = 64 * 1024 * 1024;

/** Selections of bulk requests by their `requestId`, which repeats of a request share. */
export type BulkSelections = {
  /**
   * [FD95] Returns the selection of a request: the stored one, or the one that `select` makes, which is stored first. An
   * empty one is stored too. `malformed`: the id belongs to another request; `unavailable`: the store is away.
   *
   * @param caller name of the caller, undefined without authentication: the ids of two callers do not collide
   */
  of(
    request: ExecuteRequest,
    id: { readonly caller: string | undefined; readonly requestId: string },
    select: () => Promise<Result<readonly RealmObjects[], Refusal>>,
  ): Promise<Result<readonly RealmObjects[], Refusal>>;
};

export function bulkSelections(store: TextStore): BulkSelections {
  return {
    async of(request, { caller, requestId }, select) {
      const key = digestOf(JSON.stringify([caller, requestId]));
      const digest = digestOf(
        toBinary(ExecuteRequestSchema, create(ExecuteRequestSchema, { ...request, requestId: "" })),
      );
      try {
        const known = await store.read(key);
        if (known !== undefined) return selectionFor(digest, decode(known));
        const selected = await select();
        if (!selected.ok) return selected;
        return selectionFor(digest, decode(await store.add(key, encode(digest, selected.value))));
      } catch (error) {
        const why = errorText(error);
        return fail({ kind: "unavailable", what: `the selection of requestId cannot be stored or read: ${why}` });
      }
    },
  };
}

function selectionFor(digest: string, stored: ExecuteRequest): Result<readonly RealmObjects[], Refusal> {
  if (stored.requestId === digest) return ok(stored.objects);
  return fail({ kind: "malformed", field: "requestId", why: "belongs to another request of the last 24 hours" });
}

const digestOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("base64url");

/** Encodes a selection as a request for its objects, with the digest of the original request in place of its id. */
function encode(digest: string, objects: readonly RealmObjects[]): string {
  const selection = create(ExecuteRequestSchema, { requestId: digest, objects: [...objects] });
  return deflateRawSync(toBinary(ExecuteRequestSchema, selection)).toString("base64");
}

/** @throws when the text is damaged */
const decode = (text: string): ExecuteRequest =>
  fromBinary(ExecuteRequestSchema, inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: maxSelectionBytes }));
