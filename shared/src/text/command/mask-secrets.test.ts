import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCheckCommand } from "../../config/describe-check-command.ts";
import { isSecretName, maskSecrets } from "./mask-secrets.ts";

const rows: readonly [line: string, masked: string][] = [
  ["check_ssh -H web1 -p 22", "check_ssh -H web1 -p 22"],
  ["check_db --password=geheim -H db1", "check_db --password=*** -H db1"],
  ["check_db --password 'ge heim' -H db1", "check_db --password *** -H db1"],
  ["check_db --auth-token abc --verbose", "check_db --auth-token *** --verbose"],
  ["PGPASSWORD=geheim check_pgsql", "PGPASSWORD=*** check_pgsql"],
  ["https://ann:geheim@example.org/x", "https://***@example.org/x"],
  ["https://example.org/x?token=abc&page=2", "https://example.org/x?token=***&page=2"],
  [
    'curl -H "Authorization: Bearer abc.def" https://example.org',
    'curl -H "Authorization: Bearer ***" https://example.org',
  ],
  ["/usr/lib/check_snmp -H r1 -C private -o .1.3", "/usr/lib/check_snmp -H r1 -C *** -o .1.3"],
  ["check_procs -C nginx", "check_procs -C nginx"],
  ["check_snmp -C a -c 80 && check_snmp -C b -c 90", "check_snmp -C *** -c 80 && check_snmp -C *** -c 90"],
  ["check_db -p geheim -P 3306", "check_db -p *** -P 3306"],
  ["check_db -pGeheim1 -P 3306", "check_db -p*** -P 3306"],
  ["check_x -port 22 -path /srv -p 8080", "check_x -port 22 -path /srv -p 8080"],
  ["check_http -a ann:geheim -H web1", "check_http -a *** -H web1"],
  ["check_http --authorization=ann:geheim -H web1", "check_http --authorization=*** -H web1"],
  ["check_db --password geheim&more;all -H db1", "check_db --password *** -H db1"],
  ["check_db --password 'ge'heim -H db1", "check_db --password *** -H db1"],
  ['check_db --password "geheim', "check_db --password ***"],
  ["check_db -t geheim --token geheim", "check_db -t geheim --token ***"],
  ["https://ann@example.org/x", "https://***@example.org/x"],
  ["https://ann:ge@heim@example.org/x", "https://***@example.org/x"],
  [
    "https://hooks.example.org/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://hooks.example.org/services/T00000000/B00000000/***",
  ],
  ["https://api.example.org/bot123456789:AAF-xyz0123456789abcdefghijkl/getMe", "https://api.example.org/***/getMe"],
  ["https://example.org/ping/6b1f5a3e-0c1d-4f5e-9a8b-7c6d5e4f3a2b", "https://example.org/ping/***"],
  ["https://example.org/a?sig=Zm9vYmFyMTIzNDU2Nzg5&page=2", "https://example.org/a?sig=***&page=2"],
  ["https://example.org/a?Zm9vYmFyMTIzNDU2Nzg5", "https://example.org/a?***"],
  ["check_http -H web1 -u /hooks/0123456789abcdef0123456789abcdef", "check_http -H web1 -u /hooks/***"],
  [
    "/usr/lib/monitoring-plugins/check_http_extended -u /application/health-of-all-nodes/getApplicationStatus",
    "/usr/lib/monitoring-plugins/check_http_extended -u /application/health-of-all-nodes/getApplicationStatus",
  ],
];
for (const [line, masked] of rows)
  test(`[QS10] secrets are masked: ${masked}`, () => assert.equal(maskSecrets(line), masked));

test("[QS10] a hostile line of 1 MB takes linear time", () => {
  for (const unit of [
    "a",
    "pass",
    "snmp",
    "snmp ",
    "://",
    "a://",
    "-p",
    " -p",
    "=",
    "token=",
    "'",
    '"',
    "/a1",
    "?a=",
    " ",
  ])
    maskSecrets(unit.repeat(2 ** 20 / unit.length));
});

test("[QS10] names of secrets are recognised", () => {
  for (const name of ["_HOSTSNMP_COMMUNITY", "_SERVICEDB_PASSWORD", "_HOSTAPI_KEY"])
    assert.ok(isSecretName(name), name);
  for (const name of ["_HOSTPORT", "_SERVICEPATH"]) assert.ok(!isSecretName(name), name);
});

const host = {
  key: { kind: "host", name: "web1" },
  address: "192.0.2.1",
  vars: { SNMP_COMMUNITY: "geheim", SITE: "fra" },
  schedule: { maxAttempts: 3 },
} as const;
const plan = (check: Parameters<typeof describeCheckCommand>[0]["plan"]["check"]) =>
  ({ key: { kind: "service", host: "web1", name: "x" }, vars: {}, schedule: { maxAttempts: 3 }, check }) as never;
const commands = {
  c: { line: "$USER1$/check -H $HOSTADDRESS$ $ARG1$ $ARG2$ $_HOSTSNMP_COMMUNITY$ $SERVICESTATE$", shell: false },
};

test("[QS10] a command has its configured macros, but neither resources nor the state", () => {
  const check = { type: "command", command: "c", args: ["-s $_HOSTSITE$", "--pass=$HOSTNAME$"] } as const;
  assert.equal(
    describeCheckCommand({ plan: plan(check), host: host as never, commands }),
    "$USER1$/check -H 192.0.2.1 -s fra --pass=*** *** $SERVICESTATE$",
  );
});

test("[QS10] a check without a program has its target, a passive one nothing", () => {
  const tcp = { type: "tcp", host: "192.0.2.1", port: 22 } as const;
  const passive = { type: "passive", freshnessThresholdMs: 1, staleStatus: "unknown" } as const;
  const snmp = { type: "snmp", address: "r1", oid: ".1.3", access: { version: "v2c", community: "geheim" } } as never;
  const texts = [tcp, passive, snmp].map((check) =>
    describeCheckCommand({ plan: plan(check), host: host as never, commands }),
  );
  assert.deepEqual(texts, ["192.0.2.1:22", "", "r1 .1.3"]);
});
