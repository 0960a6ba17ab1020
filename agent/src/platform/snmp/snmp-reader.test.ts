import assert from "node:assert/strict";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, test } from "node:test";
import { never } from "@realmwatch/shared/model/never";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import fc from "fast-check";
import { openSnmpReader } from "./snmp-reader.ts";
import type { SnmpFailureKind, SnmpRequest } from "./snmp-request.ts";

const reader = openSnmpReader({ clock: systemClock });
const v2c: SnmpAccess = { version: "v2c", community: "public" };
const protect = { authProto: "SHA", authPass: "a pass phrase" } as const;
const v3: SnmpAccess = { version: "v3", user: "ops", ...protect, privProto: "", privPass: "" };
const open: SnmpAccess = { ...v3, authProto: "", authPass: "" };
const encrypted: SnmpAccess = { ...v3, privProto: "AES", privPass: "a pass phrase" };
const oid = "1.3.6.1.2.1.1.5.0";

type Answer = (question: Buffer, send: (answer: Uint8Array) => void) => void;
const servers: Socket[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** Test peer that answers each request with `answer`. */
async function peer(answer: Answer): Promise<{ port: number; requests(): number }> {
  const socket = createSocket("udp4");
  servers.push(socket);
  let requests = 0;
  socket.on("message", (question: Buffer, { port, address }: RemoteInfo) => {
    requests++;
    answer(question, (bytes) => socket.send(bytes, port, address));
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, requests: () => requests };
}

/** Timeout of requests that get no answer, ms. */
const briefMs = 300;

async function ask(port: number, access = v2c, timeoutMs = 20_000): Promise<unknown> {
  const request: SnmpRequest = { address: "127.0.0.1", port, oid, access, timeoutMs };
  const answer = await reader.get(request, new AbortController().signal);
  return answer.ok ? answer.value : answer.error.kind;
}

/** BER element: tag, length, content. */
function tlv(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const int = (value: number): Buffer => tlv(2, [value >> 24, value >> 16, value >> 8, value]);
const sysName = tlv(6, [0x2b, 6, 1, 2, 1, 1, 5, 0]);
const usmStats = (which: number): Buffer => tlv(6, [0x2b, 6, 1, 6, 3, 15, 1, 1, which, 0]);
const pdu = (tag: number, id: number, name: Buffer, value: Buffer): Buffer =>
  tlv(tag, int(id), int(0), int(0), tlv(0x30, tlv(0x30, name, value)));
const text = tlv(4, Buffer.from("the machine"));
const [response, report] = [0xa2, 0xa8];

/** Request id of a v2c request, or message id of a v3 request: the number after the first header. */
function idOf(question: Buffer): number {
  const at = question.indexOf(question[4] === 3 ? Buffer.from([2, 1, 3, 0x30]) : Buffer.from("public")) + 6;
  const numberAt = question.indexOf(2, question[4] === 3 ? at - 1 : at);
  return question.readIntBE(numberAt + 2, question[numberAt + 1] ?? 0);
}
const community = (question: Buffer, body: Buffer): Buffer =>
  tlv(0x30, tlv(2, [1]), tlv(4, Buffer.from("public")), body ?? question);
const secured = (question: Buffer, flags: number, body: Buffer, boots = 0, engine = Buffer.from("engine")): Buffer =>
  tlv(
    0x30,
    tlv(2, [3]),
    tlv(0x30, int(idOf(question)), int(65_507), tlv(4, [flags]), tlv(2, [3])),
    tlv(4, tlv(0x30, tlv(4, engine), int(boots), int(boots), tlv(4, Buffer.from("ops")), tlv(4), tlv(4))),
    tlv(0x30, tlv(4, engine), tlv(4), body),
  );
const good: Answer = (question, send) => send(community(question, pdu(response, idOf(question), sysName, text)));

test("a valid response returns its value", async () => {
  const { port } = await peer(good);
  assert.deepEqual(await ask(port), { kind: "bytes", value: Buffer.from("the machine") });
});

test("[SN8] a lost request is repeated once", async () => {
  let lost = 0;
  const { port, requests } = await peer((question, send) => (lost++ === 0 ? undefined : good(question, send)));
  assert.deepEqual(await ask(port, v2c, 6_000), { kind: "bytes", value: Buffer.from("the machine") });
  assert.equal(requests(), 2);
  const silent = await peer(() => {});
  assert.equal(await ask(silent.port, v2c, briefMs), "no_answer");
  assert.equal(silent.requests(), 2);
});

const report3 = (question: Buffer, boots = 0): Buffer =>
  secured(question, 0, pdu(report, 1, usmStats(4), tlv(0x41, [1])), boots);
const plain = (question: Buffer, flags: number): Buffer => secured(question, flags, pdu(response, 1, sysName, text), 1);

const hostile: [name: string, access: SnmpAccess, answer: Answer, kind: SnmpFailureKind][] = [
  ["a response to another request", v2c, (q, send) => send(community(q, pdu(response, 7, sysName, text))), "no_answer"],
  ["another value", v2c, (q, send) => send(community(q, pdu(response, idOf(q), usmStats(1), text))), "wrong_answer"],
  [
    "no value",
    v2c,
    (q, send) => send(community(q, tlv(response, int(idOf(q)), int(0), int(0), tlv(0x30)))),
    "wrong_answer",
  ],
  [
    "an undefined type",
    v2c,
    (q, send) => send(community(q, pdu(response, idOf(q), sysName, tlv(0x5f, [1])))),
    "malformed",
  ],
  ["a length without end", v2c, (_, send) => send(Buffer.from([0x30, 0xff, 0xff, 0xff])), "malformed"],
  ["nothing", v2c, (_, send) => send(Buffer.alloc(0)), "malformed"],
  ["v3 for v2c", v2c, (q, send) => send(secured(q, 3, Buffer.alloc(0))), "malformed"],
  ["a digest without a user", v2c, (q, send) => send(plain(q, 1)), "malformed"],
  ["v2c for v3", v3, good, "wrong_answer"],
  [
    "a response without authentication",
    v3,
    (q, send) => send(q.includes("ops") ? plain(q, 0) : report3(q, 1)),
    "wrong_answer",
  ],
  [
    "a response without encryption",
    encrypted,
    (q, send) => send(q.includes("ops") ? plain(q, 0) : report3(q, 1)),
    "wrong_answer",
  ],
  ["a false digest", v3, (q, send) => send(q.includes("ops") ? plain(q, 1) : report3(q, 1)), "wrong_digest"],
  ["reports without end", v3, (q, send) => send(report3(q)), "malformed"],
  [
    "a flood",
    v2c,
    (_, send) => {
      for (let sent = 0; sent < 100; sent++) send(Buffer.from("go away"));
    },
    "malformed",
  ],
];

/** Timeouts by the answer that is expected at their end, ms: a malformed response is skipped in favour of a later one. */
const timeoutOf: Partial<Record<SnmpFailureKind, number>> = { no_answer: briefMs, malformed: 2_000 };

for (const [name, access, answer, kind] of hostile)
  test(`[SN9] ${name} is ${kind}`, async () => {
    const { port } = await peer(answer);
    assert.equal(await ask(port, access, timeoutOf[kind]), kind);
  });

test("a response without a digest is accepted when no authentication was requested", async () => {
  const { port } = await peer((q, send) => send(q.includes("ops") ? plain(q, 0) : report3(q, 1)));
  assert.deepEqual(await ask(port, open), { kind: "bytes", value: Buffer.from("the machine") });
});

test("[SN7] a device that ignores its predecessor's engine id is found by the next check", async () => {
  let engine = Buffer.from("first-machine");
  const { port } = await peer((q, send) => {
    if (!q.includes("ops")) return send(secured(q, 0, pdu(report, 1, usmStats(4), tlv(0x41, [1])), 1, engine));
    if (q.includes(engine)) send(secured(q, 0, pdu(response, idOf(q), sysName, text), 1, engine));
  });
  const value = { kind: "bytes", value: Buffer.from("the machine") };
  assert.deepEqual(await ask(port, open), value);
  engine = Buffer.from("other-machine");
  assert.equal(await ask(port, open, briefMs), "no_answer");
  assert.deepEqual(await ask(port, open), value);
});

/** Damage to a valid message: bytes replaced, changed or removed. */
type Damage =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "flip"; at: number; to: number }
  | { kind: "cut"; at: number };
const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant("bytes" as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  fc.record({ kind: fc.constant("flip" as const), at: fc.nat(120), to: fc.nat(255) }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat(120) }),
);
function damaged(message: Buffer, damage: Damage): Uint8Array {
  switch (damage.kind) {
    case "bytes":
      return damage.bytes;
    case "cut":
      return message.subarray(0, damage.at % message.length);
    case "flip":
      return Buffer.from(message).fill(damage.to, damage.at % message.length, (damage.at % message.length) + 1);
    default:
      return never(damage);
  }
}

for (const [name, access] of Object.entries({ v2c, v3, encrypted }))
  test(`[SN9] damaged ${name} responses never throw`, async () => {
    let damage: Damage = { kind: "cut", at: 0 };
    const { port } = await peer((q, send) => {
      const isDiscovery = access !== v2c && !q.includes("ops");
      if (access === v2c) good(q, (answer) => send(damaged(Buffer.from(answer), damage)));
      else send(damaged(isDiscovery ? report3(q, 1) : plain(q, 3), damage));
    });
    const property = fc.asyncProperty(damages, async (next) => {
      damage = next;
      await ask(port, access, 15);
    });
    await fc.assert(property, { numRuns: 60 });
  });

test("[SN9] an aborted request returns at once", async () => {
  const { port } = await peer(() => {});
  const stopping = new AbortController();
  const request: SnmpRequest = { address: "127.0.0.1", port, oid, access: v2c, timeoutMs: 60_000 };
  const answer = reader.get(request, stopping.signal);
  stopping.abort();
  assert.deepEqual(await answer, { ok: false, error: { kind: "aborted", detail: "" } });
});

test("an unreachable address returns the reason", async () => {
  const request: SnmpRequest = { address: "::ffff:255.255.255.255", port: 161, oid, access: v2c, timeoutMs: 200 };
  const answer = await reader.get(request, new AbortController().signal);
  assert.ok(!answer.ok && ["not_sent", "no_answer"].includes(answer.error.kind));
});
