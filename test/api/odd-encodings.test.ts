import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openTestProgram, tokens } from "./program-server.fixture.ts";
import { callRaw, grpcFrame, wireProtocols } from "./raw-call.ts";

const { listStatus } = QueryService.method;
const path = `/${listStatus.parent.typeName}/${listStatus.name}`;
const authorization = `Bearer ${tokens.viewer.token}`;
const refusals = new Set(["invalid_argument", "unimplemented", "resource_exhausted"]);

for (const protocol of wireProtocols) {
  const isGrpc = protocol.startsWith("grpc");
  const encoding = isGrpc ? "grpc-encoding" : "content-encoding";
  const plain = protocol === "json" ? Buffer.from("{}") : Buffer.alloc(0);
  const framed = (bytes: Buffer, flags = 0): Buffer<ArrayBuffer> =>
    Buffer.from(isGrpc ? grpcFrame(bytes, flags) : bytes);

  test(`[IN1] ${protocol}: bodies that are compressed twice, wrongly or in an unknown way are refused`, async (t) => {
    const { base } = await openTestProgram(t);
    const twice = gzipSync(gzipSync(Buffer.from('{"search":"x"}')));
    const rows: [name: string, body: Buffer][] = [
      ["gzip, gzip", twice],
      ["gzip", twice],
      ["gzip", Buffer.from("no gzip")],
      ["gzip", gzipSync(Buffer.alloc(100)).subarray(0, 15)],
      ["zstd", plain],
      ["x".repeat(1_000), plain],
    ];
    for (const [name, body] of rows) {
      const headers = { authorization, [encoding]: name };
      const { code, message } = await callRaw(base, path, { protocol, body: framed(body, 1), headers });
      assert.ok(refusals.has(code), `${name.slice(0, 20)}: ${code} ${message}`);
      // The services implement nothing: a request that is read gets this message.
      assert.doesNotMatch(message, /^$|not implemented/, name.slice(0, 20));
    }
  });

  if (isGrpc)
    test(`[IN1] ${protocol}: a call of one message with a thousand frames is refused`, async (t) => {
      const { base } = await openTestProgram(t);
      const body = Buffer.concat(Array.from({ length: 1_000 }, () => framed(plain)));
      const { code, message } = await callRaw(base, path, { protocol, body, headers: { authorization } });
      assert.ok(refusals.has(code), code);
      assert.doesNotMatch(message, /not implemented/);
    });
}
