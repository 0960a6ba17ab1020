import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";

/** One spec of each check type for the contract in check-types.test.ts. A missing or misfiled entry does not compile. */
export const checkSamples = {
  command: { type: "command", command: "ping", args: [] },
  dns: { type: "dns", host: "192.0.2.53", port: 53, name: "www.example.org" },
  http: { type: "http", url: "http://www.example.org/" },
  icmp: { type: "icmp", host: "www.example.org" },
  legacy: { type: "legacy", path: "/usr/lib/nagios/plugins/check_disk", args: [] },
  snmp: {
    type: "snmp",
    address: "192.0.2.7",
    oid: ".1.3.6.1.2.1.1.3.0",
    access: { version: "v2c", community: "public" },
    ...{ warn: "", crit: "", expect: "", label: "", uom: "" },
  },
  tcp: { type: "tcp", host: "www.example.org", port: 80 },
  tls: { type: "tls", host: "www.example.org", port: 443, warnWithinMs: 1, critWithinMs: 0 },
  wasm: { type: "wasm", module: "/plugins/queue.wasm", args: [] },
} satisfies { [T in ActiveCheckSpec["type"]]: Extract<ActiveCheckSpec, { type: T }> };
