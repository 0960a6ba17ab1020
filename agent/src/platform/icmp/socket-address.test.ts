import assert from "node:assert/strict";
import { test } from "node:test";
import { socketAddress } from "./socket-address.ts";

for (const [address, hex] of [
  ["192.0.2.7", "02000000c00002070000000000000000"],
  ["::1", `0a00000000000000${"0".repeat(30)}01${"0".repeat(8)}`],
  ["2001:db8:0:1::7", "0a0000000000000020010db8000000010000000000000007" + "00000000"],
  ["::ffff:192.0.2.7", `0a00000000000000${"0".repeat(20)}ffffc0000207${"0".repeat(8)}`],
  ["fe80::1%3", "0a00000000000000fe800000000000000000000000000001" + "03000000"],
] as const)
  test(`${address} is encoded as a struct sockaddr`, () => assert.equal(socketAddress(address).toString("hex"), hex));
