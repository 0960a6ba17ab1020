import assert from "node:assert/strict";
import { test } from "node:test";
import { peerNetwork } from "./peer-network.ts";

const rows: [peer: string, network: string][] = [
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0DB8:0:0:ffff:1:2:3", "2001:db8:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["nats centre", "nats centre"],
  ["", ""],
];
for (const [peer, network] of rows)
  test(`[AT5] limits count ${peer === "" ? "no address" : peer} as ${network}`, () => {
    assert.equal(peerNetwork(peer), network);
  });
