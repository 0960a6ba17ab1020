import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOid, parseSnmpAddress } from "./snmp-address.ts";

const addresses: [text: string, host: string | undefined, port?: number][] = [
  ["switch-1", "switch-1", 161],
  ["192.0.2.7:1161", "192.0.2.7", 1_161],
  ["2001:db8::7", "2001:db8::7", 161],
  ["[2001:db8::7]", "2001:db8::7", 161],
  ["[fe80::1%eth0]:162", "fe80::1%eth0", 162],
  ["[switch-1]:161", undefined],
  ["switch-1:0", undefined],
  ["switch-1:65536", undefined],
  ["switch 1", undefined],
  ["udp:switch-1:161", undefined],
];
for (const [text, host, port] of addresses)
  test(`[SN2] address ${text}`, () =>
    assert.deepEqual(parseSnmpAddress(text), host === undefined ? undefined : { host, port }));

const oids: [text: string, numbers: string | undefined][] = [
  [".1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.3.0"],
  ["1.3.6.1.4.1.4294967295", "1.3.6.1.4.1.4294967295"],
  ["2.999.1", "2.999.1"],
  ["1.3.6.1.4.1.4294967296", undefined],
  ["1.40.1", undefined],
  ["3.1.1", undefined],
  ["1", undefined],
  ["1.3.06.1", undefined],
  ["1.3..6", undefined],
  ["sysUpTime.0", undefined],
  [`1.3${".1".repeat(127)}`, undefined],
];
for (const [text, numbers] of oids) test(`[SN2] oid ${text.slice(0, 40)}`, () => assert.equal(parseOid(text), numbers));
