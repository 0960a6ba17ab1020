import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  checksum,
  createEchoPacket,
  type EchoAnswer,
  type EchoSignature,
  echoBytes,
  type IpFamily,
  parseRawPacket,
  setEchoNumber,
} from "./echo-packet.ts";

const signature: EchoSignature = { identity: 0xfff0, cookie: Buffer.from("8 secret") };
const numbers = fc.integer({ min: 0, max: 2 ** 32 - 1 });

function request(family: IpFamily, number: number): Buffer {
  const packet = createEchoPacket(family, signature);
  setEchoNumber(packet, number, signature);
  return packet;
}

/** IPv4 packet with options that contains a message. */
function ipv4(message: Buffer, protocol = 1): Buffer {
  const head = Buffer.alloc(24);
  head[0] = 0x46;
  head[9] = protocol;
  return Buffer.concat([head, message]);
}

function ipv6(message: Buffer): Buffer {
  const head = Buffer.alloc(40);
  head[0] = 0x60;
  head[6] = 58;
  return Buffer.concat([head, message]);
}

function summed(message: Buffer): Buffer {
  message.writeUInt16BE(0, 2);
  message.writeUInt16BE(checksum(message, 0, message.length), 2);
  return message;
}

/** Echo reply of a host. */
function reply(family: IpFamily, number: number): Buffer {
  const message = request(family, number);
  message[0] = family === 4 ? 0 : 129;
  return family === 4 ? ipv4(summed(message)) : message;
}

/** ICMP error of a router that quotes bytes of the request. */
function refusal(family: IpFamily, [type, code]: readonly [number, number], quoted: Buffer): Buffer {
  const message = Buffer.concat([Buffer.from([type, code, 0, 0, 0, 0, 0, 0]), quoted]);
  return family === 4 ? ipv4(summed(message)) : message;
}

for (const family of [4, 6] as const) {
  test(`an IPv${family} echo reply contains the number of its request`, () => {
    fc.assert(
      fc.property(numbers, (number) =>
        assert.deepEqual(parseRawPacket(family, reply(family, number), signature), { kind: "reply", number }),
      ),
    );
  });

  test(`an IPv${family} router's error that quotes only 8 bytes identifies its request`, () => {
    const quote = family === 4 ? ipv4 : ipv6;
    const code = family === 4 ? ([3, 1] as const) : ([1, 0] as const);
    fc.assert(
      fc.property(numbers, (number) => {
        const packet = refusal(family, code, quote(request(family, number).subarray(0, 8)));
        const why = family === 4 ? "host unreachable" : "no route";
        assert.deepEqual(parseRawPacket(family, packet, signature), { kind: "refusal", number, why });
      }),
    );
  });

  test(`[NC8] arbitrary bytes neither break the IPv${family} parser nor count as a reply`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128 }), (bytes) => {
        const answer: EchoAnswer | undefined = parseRawPacket(family, Buffer.from(bytes), signature);
        assert.ok(answer === undefined || answer.kind === "refusal");
      }),
    );
  });
}

test("the checksum supports odd lengths and is 0 for a message that includes it", () => {
  assert.equal(checksum(Buffer.from([0, 1, 0xf2, 3, 0xf4, 0xf5, 0xf6, 0xf7]), 0, 8), 0x220d, "RFC 1071, section 3");
  assert.equal(checksum(Buffer.from([1]), 0, 1), 0xfeff);
  assert.equal(checksum(request(4, 7), 0, echoBytes), 0);
});

for (const [what, spoil] of [
  ["that was damaged on the way", (packet: Buffer) => packet.fill(1, 60, 61)],
  ["with another cookie", (packet: Buffer) => summed(packet.fill(0, 32, 40).subarray(24))],
  ["with another identifier", (packet: Buffer) => summed(packet.fill(9, 28, 30).subarray(24))],
  ["of another protocol", (packet: Buffer) => packet.fill(17, 9, 10)],
] as const)
  test(`a reply ${what} is ignored`, () => {
    const packet = reply(4, 70_000);
    spoil(packet);
    assert.equal(parseRawPacket(4, packet, signature), undefined);
  });

test("ICMP errors of other kinds, or about packets of other programs, are ignored", () => {
  const udp = refusal(4, [3, 3], ipv4(Buffer.alloc(8), 17));
  const quench = refusal(4, [4, 0], ipv4(request(4, 1)));
  const reply0 = refusal(4, [3, 1], ipv4(Buffer.alloc(8)));
  for (const packet of [udp, quench, reply0]) assert.equal(parseRawPacket(4, packet, signature), undefined);
});
