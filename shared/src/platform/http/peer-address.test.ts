import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetworkList } from "../network/network-list.ts";
import { resolvePeer } from "./peer-address.ts";

const trust = (text: string) => {
  const result = parseNetworkList(text);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
};

const rows: [trusted: string, socket: string, forwarded: string | undefined, peer: string][] = [
  ["", "10.0.0.1", "6.6.6.6", "10.0.0.1"],
  ["10.0.0.0/8", "10.0.0.1", "6.6.6.6", "6.6.6.6"],
  ["10.0.0.0/8", "10.0.0.1", undefined, "10.0.0.1"],
  ["10.0.0.0/8", "10.0.0.1", "1.1.1.1, 6.6.6.6", "6.6.6.6"],
  ["10.0.0.0/8", "10.0.0.1", "1.1.1.1, 6.6.6.6, 10.9.9.9", "6.6.6.6"],
  ["10.0.0.0/8", "10.0.0.1", "junk", "10.0.0.1"],
  ["10.0.0.0/8", "10.0.0.1", "6.6.6.6, <script>", "10.0.0.1"],
  ["10.0.0.0/8, ::1", "::1", "6.6.6.6:4711", "6.6.6.6"],
  ["::ffff:10.0.0.1, 10.0.0.1", "::ffff:10.0.0.1", "[2001:db8::7]:80", "2001:db8::7"],
  ["127.0.0.1", "::ffff:192.0.2.1", "6.6.6.6", "192.0.2.1"],
];
for (const [trusted, socket, forwarded, peer] of rows)
  test(`trusting "${trusted}", ${socket} with ${forwarded} is ${peer}`, () =>
    assert.equal(resolvePeer(socket, forwarded, trust(trusted)), peer));

test("entries that are not addresses or CIDR blocks are refused", () => {
  for (const bad of ["x", "10.0.0.0/33", "10.0.0.0/", "::1/129", "10.0.0.0/8/8", "1.2.3"])
    assert.equal(parseNetworkList(bad).ok, false, bad);
});
