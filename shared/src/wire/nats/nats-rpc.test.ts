import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Result } from "../../model/result.ts";
import {
  decodeNatsRequest,
  decodeNatsResponse,
  encodeNatsRequest,
  encodeNatsResponse,
  type NatsRpcMessage,
  type NatsRpcPart,
  type NatsRpcRequest,
  natsRpcAssembler,
  natsRpcPartBytes,
} from "./nats-rpc.ts";

const call = (bytes: number): NatsRpcRequest => ({
  method: "svc.v1.AdminService/ApplyConfig",
  authorization: "Bearer abc",
  requestId: "r-1",
  timeoutMs: 120_000,
  body: new Uint8Array(bytes).map((_, i) => i % 251),
});

function collect(parts: readonly NatsRpcPart[]): Result<NatsRpcMessage | undefined, string> {
  const collector = natsRpcAssembler();
  let last: Result<NatsRpcMessage | undefined, string> = { ok: true, value: undefined };
  for (const part of parts) last = collector.add(part);
  return last;
}

function whole(parts: readonly NatsRpcPart[]): NatsRpcMessage {
  const got = collect(parts);
  assert.ok(got.ok && got.value);
  return got.value;
}

for (const [bytes, messages] of [
  [0, 1],
  [1, 1],
  [natsRpcPartBytes, 1],
  [natsRpcPartBytes + 1, 2],
  [3 * natsRpcPartBytes, 3],
] as const)
  test(`a call of ${bytes} bytes takes ${messages} message(s) and is decoded unchanged`, () => {
    const sent = call(bytes);
    const parts = encodeNatsRequest(sent);
    assert.equal(parts.length, messages);
    assert.ok(parts.every((p) => p.data.length <= natsRpcPartBytes));
    assert.deepEqual(decodeNatsRequest(whole(parts)), { ok: true, value: sent });
  });

test("a response is decoded unchanged, with code, message and details", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("not_found", "invalid_argument", "unavailable"),
      fc.string({ unit: "grapheme" }),
      fc.array(fc.record({ type: fc.string(), value: fc.uint8Array() })),
      (code, message, details) => {
        const answer = { code, message, details, body: new Uint8Array() };
        const got = decodeNatsResponse(whole(encodeNatsResponse(answer)));
        assert.ok(got.ok);
        assert.equal(got.value.message, message);
        assert.deepEqual(
          got.value.details.map((d) => [d.type, [...d.value]]),
          details.map((d) => [d.type, [...d.value]]),
        );
      },
    ),
  );
});

test("[AU12] what a realm reports beside its response message is decoded unchanged", () => {
  const answer = { code: "ok", message: "", details: [], body: new Uint8Array([1]), matched: 3, documentChange: "{}" };
  assert.deepEqual(decodeNatsResponse(whole(encodeNatsResponse(answer))), { ok: true, value: answer });
});

test("parts out of order, missing or too large are refused", () => {
  const [a, b, c] = encodeNatsRequest(call(3 * natsRpcPartBytes)) as [NatsRpcPart, NatsRpcPart, NatsRpcPart];
  assert.equal(collect([b]).ok, false);
  assert.equal(collect([a, c]).ok, false);
  assert.equal(collect([a, { ...b, headers: { part: "2/9" } }]).ok, false);
  const small = natsRpcAssembler(natsRpcPartBytes);
  assert.equal(small.add(a).ok, true);
  assert.equal(small.add(b).ok, false);
});

test("an invalid request or response is refused", () => {
  const body = new Uint8Array();
  assert.equal(decodeNatsRequest({ headers: {}, body }).ok, false);
  assert.equal(decodeNatsRequest({ headers: { method: "a/b", "timeout-ms": "-1" }, body }).ok, false);
  assert.equal(decodeNatsResponse({ headers: {}, body }).ok, false);
  assert.equal(decodeNatsResponse({ headers: { code: "internal" }, body }).ok, false);
});
