import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { AddCommentRequestSchema, CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { fail } from "@realmwatch/shared/model/result";
import { forwardedCalls } from "./forwarded-calls.ts";

test("[FD25] the way to the main thread takes its time from the call", async () => {
  const timeouts: number[] = [];
  const forwarder = {
    hasRealm: () => true,
    async forward(_: string, { timeoutMs }: { readonly timeoutMs: number }) {
      timeouts.push(timeoutMs);
      return fail({ kind: "unavailable" as const, what: "test" });
    },
  };
  const { forward } = forwardedCalls(() => forwarder, { monotonic: () => 10_200 });
  const call = {
    realm: "fra",
    requestId: "r",
    idempotencyKey: "k",
    service: CommandService.typeName,
    method: "AddComment",
  };
  for (const endMs of [10_700, 10_000])
    await forward(endMs, { ...call, endMs, message: create(AddCommentRequestSchema) });
  assert.deepEqual(timeouts, [500, 0]);
});
