import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { openTestProgram, tokens } from "./program-server.fixture.ts";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const [data, headers, settings, ping, windowUpdate, continuation] = [0, 1, 4, 6, 8, 9] as const;
const endHeaders = 4;

/** Frame of HTTP/2. */
function frame(type: number, payload: Uint8Array, { flags = 0, stream = 0 } = {}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const none = new Uint8Array(0);
/** Header block of a POST to `/`, from the static table of HPACK. */
const post = Buffer.from([0x83, 0x84, 0x86]);
/** Header of 4 000 bytes that enters the dynamic table, and then a reference to it for each byte. */
const large = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4_000, 0x61)]);
const open = frame(headers, post, { flags: endHeaders, stream: 1 });

/** Beginning of an attack, and what is repeated after it. */
const floods: Record<string, { readonly first: Buffer; readonly next: Buffer; readonly isEnded: boolean }> = {
  settings: { first: none as Buffer, next: frame(settings, none), isEnded: false },
  pings: { first: none as Buffer, next: frame(ping, Buffer.alloc(8)), isEnded: false },
  "empty data": { first: open, next: frame(data, none, { stream: 1 }), isEnded: false },
  "headers without an end": {
    first: frame(headers, post, { stream: 1 }),
    next: frame(continuation, Buffer.alloc(1_000, 0x84), { stream: 1 }),
    isEnded: true,
  },
  "empty continuations": {
    first: frame(headers, post, { stream: 1 }),
    next: frame(continuation, none, { stream: 1 }),
    isEnded: true,
  },
  "references to a large header": {
    first: frame(headers, Buffer.concat([post, large]), { stream: 1 }),
    next: frame(continuation, Buffer.alloc(4_000, 0xbe), { stream: 1 }),
    isEnded: true,
  },
  "window updates beyond the limit": {
    first: none as Buffer,
    next: frame(windowUpdate, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
    isEnded: true,
  },
};

const frames = 20_000;

for (const [name, { first, next, isEnded }] of Object.entries(floods))
  test(`[IN6] HTTP/2: ${frames} frames of ${name} harm no other connection`, async (t) => {
    const { base, call } = await openTestProgram(t);
    const socket = connect(Number(new URL(base).port), "127.0.0.1");
    atEnd(t, () => socket.destroy());
    let isClosed = false;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      isClosed = true;
    });
    socket.resume();
    socket.write(Buffer.concat([preface, frame(settings, none), first]));
    const part = Buffer.concat(Array.from({ length: 100 }, () => next));
    for (let n = 0; n < frames && !isClosed; n += 100)
      if (!socket.write(part))
        await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
    const authorization = `Bearer ${tokens.viewer.token}`;
    const answer = await call(AuthService.method.whoAmI, { protocol: "grpc", headers: { authorization } });
    assert.equal(answer.code, "ok");
    if (isEnded && !isClosed) await once(socket, "close");
  });
