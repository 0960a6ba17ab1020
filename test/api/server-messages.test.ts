import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { callRaw, grpcFrame, type WireProtocol, wireProtocols } from "./raw-call.ts";
import { openTestServer } from "./test-server.ts";

const listStatus = "/svc.v1.QueryService/ListStatus";
const encode = (search: string) => toBinary(ListStatusRequestSchema, create(ListStatusRequestSchema, { search }));

/** Error message, in every protocol, for a request that is or claims to be above the limit. */
const tooLarge = "the request is larger than 1048576 bytes";

/** A request with `search`, encoded for the protocol. */
function bodyOf(protocol: WireProtocol, search: string): Buffer<ArrayBuffer> {
  if (protocol === "json") return Buffer.from(JSON.stringify({ search }));
  return protocol === "proto" ? Buffer.from(encode(search)) : (grpcFrame(encode(search)) as Buffer<ArrayBuffer>);
}
const framed = (protocol: WireProtocol, message: Buffer, flags = 0) =>
  (protocol.startsWith("grpc") ? grpcFrame(message, flags) : message) as Buffer<ArrayBuffer>;

for (const protocol of wireProtocols) {
  test(`${protocol}: a call is answered and its completion reported`, async (t) => {
    const { base, ended, searched } = await openTestServer(t);
    assert.equal((await callRaw(base, listStatus, { protocol, body: bodyOf(protocol, "grüße") })).code, "ok");
    assert.deepEqual(searched, ["grüße"]);
    assert.deepEqual(
      ended.map((e) => [e.context.method.name, e.error, e.handlerCalled]),
      [["ListStatus", undefined, true]],
    );
  });

  test(`[IN10] ${protocol}: the shorter deadline of client and server ends a call; a malformed one is refused`, async (t) => {
    const header = protocol.startsWith("grpc") ? "grpc-timeout" : "connect-timeout-ms";
    const unit = protocol.startsWith("grpc") ? "m" : "";
    const { base: hasty } = await openTestServer(t, { rpc: { limit: { maxBytes: 1_000, deadlineMs: 150 } } });
    const { base: patient } = await openTestServer(t);
    const code = async (search: string, timeout?: string) =>
      (
        await callRaw(search === "hang" ? hasty : patient, listStatus, {
          protocol,
          body: bodyOf(protocol, search),
          headers: timeout === undefined ? {} : { [header]: timeout },
        })
      ).code;
    assert.equal(await code("hang", `20${unit}`), "deadline_exceeded");
    assert.equal(await code("hang"), "deadline_exceeded");
    assert.equal(await code("hang", protocol.startsWith("grpc") ? "99999999H" : "9999999999"), "deadline_exceeded");
    assert.equal(await code("x", protocol.startsWith("grpc") ? "99999999H" : "9999999999"), "ok");
    assert.equal(await code("x", `0${unit}`), "deadline_exceeded");
    for (const junk of ["-1", "soon", "99999999999999"]) assert.equal(await code("x", junk), "invalid_argument", junk);
  });

  test(`[IN3] ${protocol}: a request above the limit is resource_exhausted and does not reach the RPC`, async (t) => {
    const { base, searched } = await openTestServer(t);
    const just = bodyOf(protocol, "x".repeat(1_048_576 - 64));
    assert.equal((await callRaw(base, listStatus, { protocol, body: just })).code, "ok");
    const answer = await callRaw(base, listStatus, { protocol, body: bodyOf(protocol, "x".repeat(1_048_576 + 64)) });
    assert.deepEqual([answer.code, answer.message], ["resource_exhausted", tooLarge]);
    assert.equal(searched.length, 1);
    const batch = "/svc.v1.CommandService/ProcessCheckResults";
    const padding = framed(
      protocol,
      protocol === "json" ? Buffer.from(`{"results":[]}${" ".repeat(8 << 20)}`) : largeField(8 << 20),
    );
    assert.equal((await callRaw(base, batch, { protocol, body: padding })).code, "ok");
  });

  test(`[IN3] ${protocol}: a compression bomb is resource_exhausted; broken or unknown compression is refused`, async (t) => {
    const { base } = await openTestServer(t);
    const header = protocol.startsWith("grpc") ? "grpc-encoding" : "content-encoding";
    const huge = Buffer.alloc(48 << 20, 0x20);
    const answerTo = (encoding: string, packed: Buffer) =>
      callRaw(base, listStatus, { protocol, body: framed(protocol, packed, 1), headers: { [header]: encoding } });
    const call = async (encoding: string, packed: Buffer) => (await answerTo(encoding, packed)).code;
    const bombs: [string, Buffer][] = [
      ["gzip", gzipSync(huge)],
      ["br", brotliCompressSync(huge.subarray(0, 16 << 20), { params: { 1: 1 } })],
    ];
    for (const [encoding, bomb] of bombs) {
      const { code, message } = await answerTo(encoding, bomb);
      assert.deepEqual([code, message], ["resource_exhausted", tooLarge]);
    }
    assert.equal(await call("gzip", Buffer.from("no gzip at all")), "invalid_argument");
    assert.equal(await call("gzip", gzipSync(huge).subarray(0, 1_000)), "invalid_argument");
    assert.equal(await call("lzma", Buffer.from("x")), "unimplemented");
    const fine = protocol === "json" ? Buffer.from("{}") : Buffer.from(encode("a"));
    assert.equal(await call("gzip", gzipSync(fine)), "ok");
  });

  test(`${protocol}: an exception becomes internal without its text; the next call is served`, async (t) => {
    const { base, ended } = await openTestServer(t);
    const answer = await callRaw(base, listStatus, { protocol, body: bodyOf(protocol, "boom") });
    assert.equal(answer.code, "internal");
    assert.doesNotMatch(answer.message, /c4nary/);
    assert.match(String(ended[0]?.error?.cause), /c4nary/);
    assert.equal((await callRaw(base, listStatus, { protocol, body: bodyOf(protocol, "x") })).code, "ok");
  });
}

/** A message with one unknown field. */
function largeField(length: number): Buffer {
  const varint = [];
  for (let rest = length; ; rest >>>= 7) {
    varint.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([0xfa, 0x3f, ...varint]), Buffer.alloc(length)]);
}

const nestedGroups = Buffer.alloc(10_000, 0x0b);
const malformed: [what: string, bytes: Buffer][] = [
  ["garbage", Buffer.from("ffffffffff", "hex")],
  ["a truncated field", Buffer.from(encode("hello")).subarray(0, 4)],
  ["a wrong wire type", Buffer.from([0x47, 1, 2, 3])],
  ["field number 0", Buffer.from([0x00, 0x01])],
  ["10 000 nested groups", nestedGroups],
  ["a string that is no UTF-8", Buffer.from([0x42, 2, 0xc3, 0x28])],
];
for (const protocol of wireProtocols.filter((w) => w !== "json"))
  for (const [what, bytes] of malformed)
    test(`[IN1] ${protocol}: ${what} is invalid_argument`, async (t) => {
      const { base, ended, searched } = await openTestServer(t);
      assert.equal(
        (await callRaw(base, listStatus, { protocol, body: framed(protocol, bytes) })).code,
        "invalid_argument",
      );
      assert.deepEqual(searched, []);
      assert.equal(ended[0]?.handlerCalled, false);
      assert.equal((await callRaw(base, listStatus, { protocol, body: bodyOf(protocol, "x") })).code, "ok");
    });

for (const protocol of ["grpc", "grpc-web"] as const)
  test(`[IN1] ${protocol}: broken frames are refused, and their declared length is not trusted`, async (t) => {
    const { base } = await openTestServer(t);
    const call = async (body: Buffer) =>
      (await callRaw(base, listStatus, { protocol, body: body as Buffer<ArrayBuffer> })).code;
    const wrongLength = grpcFrame(Buffer.alloc(0), 0, 0xffff_ffff) as Buffer<ArrayBuffer>;
    const { code, message } = await callRaw(base, listStatus, { protocol, body: wrongLength });
    assert.deepEqual([code, message], ["resource_exhausted", tooLarge]);
    assert.equal(await call(grpcFrame(Buffer.from("x"), 0, 1_000)), "invalid_argument");
    assert.equal(await call(Buffer.from([0, 0])), "invalid_argument");
    assert.equal(await call(Buffer.concat([grpcFrame(encode("a")), grpcFrame(encode("b"))])), "unimplemented");
    assert.notEqual(await call(grpcFrame(encode("a"), 0xff)), "ok");
  });

const badJson: [what: string, body: string | Buffer][] = [
  ["an open brace", "{"],
  ["a list", "[]"],
  ["null", "null"],
  ["nothing", ""],
  ["trailing garbage", '{"search":"a"} x'],
  ["an unknown enum name", '{"statuses":["NOPE"]}'],
  ["a string for a number", '{"pageSize":"many"}'],
  ["a number out of range", '{"pageSize":1e400}'],
  ["1 000 000 levels", `{"object":${"[".repeat(500_000)}`],
  ["invalid UTF-8", Buffer.from('{"search":"\xc3\x28"}', "latin1")],
  ["an overlong slash", Buffer.from('{"search":"\xc0\xaf"}', "latin1")],
  ["an encoded surrogate", Buffer.from('{"search":"\xed\xa0\x80"}', "latin1")],
  ["half a character", '{"search":"a\\ud800b"}'],
  ["two halves in the wrong order", '{"search":"\\udc00\\ud800"}'],
];
for (const [what, body] of badJson)
  test(`[IN2] JSON: ${what} is invalid_argument`, async (t) => {
    const { base, searched } = await openTestServer(t);
    for (const protocol of ["json", "grpc-web"] as const) {
      const bytes = Buffer.from(body as string) as Buffer<ArrayBuffer>;
      const headers = protocol === "json" ? {} : { "content-type": "application/grpc-web+json" };
      const answer = await callRaw(base, listStatus, { protocol, body: framed(protocol, bytes), headers });
      assert.equal(answer.code, "invalid_argument", protocol);
    }
    assert.deepEqual(searched, []);
  });

test("[IN2] JSON: unknown fields are ignored, also those named like JavaScript properties", async (t) => {
  const { base, searched } = await openTestServer(t);
  for (const field of ["nope", "__proto__", "constructor", "toString"]) {
    const body = Buffer.from(`{"${field}":{"x":1},"search":"a\\\\ud800 \\ud83d\\ude00"}`);
    assert.equal((await callRaw(base, listStatus, { protocol: "json", body })).code, "ok");
  }
  assert.deepEqual(new Set(searched), new Set(["a\\ud800 😀"]));
});

/** Yields the bytes one by one; regularly yields to the event loop, because the server runs in this process too. */
async function* singleBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const [index, byte] of bytes.entries()) {
    if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    yield Uint8Array.of(byte);
  }
}

test("a body of 60 000 chunks of one byte is accepted", async (t) => {
  // Chunks cost processor time, of which other tests may leave little.
  const { base } = await openTestServer(t, { rpc: { limit: { maxBytes: 1_000_000, deadlineMs: 300_000 } } });
  const body = ReadableStream.from(singleBytes(grpcFrame(encode("x".repeat(60_000)))));
  const headers = { "content-type": "application/grpc-web+proto" };
  const response = await fetch(base + listStatus, { method: "POST", headers, body, duplex: "half" });
  assert.equal(response.status, 200);
  assert.match(
    Buffer.from(await response.arrayBuffer())
      .subarray(-60)
      .toString(),
    /grpc-status: 0/,
  );
});
