import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { importIcingaStates, netstring, stateText } from "./icinga-state.fixture.ts";

/** Time in which an import must end, ms. */
const timeout = 60_000;

const good = stateText([
  { type: "Host", name: "web1", update: { state_raw: 0, state_type: 1, last_check_result: { output: "up" } } },
]);
const goodBytes = Buffer.byteLength(good);

const refusals: readonly [what: string, text: string, message: RegExp][] = [
  ["an empty file", "", /icinga2\.state: byte 0: has no record: it must be the state file of Icinga 2/],
  [
    "a retention file of Nagios",
    "host {\nhost_name=web1\n}\n",
    /icinga2\.state: byte 0: expected the length of a record/,
  ],
  [
    "a length beyond the file",
    `${good}999999999:{`,
    /byte \d+: the record has 999999999 bytes, but the file ends before/,
  ],
  ["a length of many digits", `${good}${"9".repeat(100_000)}:`, /byte \d+: expected the length of a record/],
  ["a negative length", "-1:{},", /byte 0: expected the length of a record/],
  [
    "a truncated file",
    good.slice(0, -20),
    /byte 0: the record has \d+ bytes, but the file ends before: it is incomplete/,
  ],
  ["a length that is too small", "2:{}}},", /byte 4: expected a comma after the record/],
  ["a file of zero bytes", "\0".repeat(1_000_000), /byte 0: expected the length of a record/],
];
for (const [what, text, message] of refusals)
  test(`[IM39] ${what} is refused with its place, and nothing is written`, { timeout }, async (t) => {
    const { code, stderr, dataDir } = await importIcingaStates(t, text);
    assert.equal(code, 1);
    assert.match(stderr, message);
    assert.deepEqual([existsSync(dataDir), existsSync(join(dirname(dataDir), "out.cue"))], [false, false]);
  });

test("[IM39] the place of a length that is wrong is the offset of its record", async (t) => {
  const { stderr } = await importIcingaStates(t, `${good}x`);
  assert.match(stderr, new RegExp(`^lib/icinga2\\.state: byte ${goodBytes}: `));
});

const record = (update: unknown, more: object = {}): string =>
  netstring(JSON.stringify({ type: "Service", name: "web1!Disk", update, ...more }));
const place = `byte ${goodBytes}`;

const bad: readonly [what: string, text: string, finding: string][] = [
  ["text that is not JSON", netstring("{"), `record ${place}: unsupported: the record is not valid JSON`],
  ["a list", netstring("[]"), `record ${place}: unsupported: the record must be an object`],
  ["no name", record({}, { name: 5 }), `record ${place}: unsupported: the record must have a type and a name`],
  ["an update that is a list", record([]), `record ${place}: unsupported: the update of the Service must be an object`],
  [
    "a text for a number",
    record({ state_raw: "2" }),
    `Service web1!Disk: unsupported: ${place}: state_raw must be a number`,
  ],
  [
    "a number beyond all",
    netstring('{"type":"Service","name":"web1!Disk","update":{"check_attempt":1e999}}'),
    `Service web1!Disk: unsupported: ${place}: check_attempt must be a number`,
  ],
  [
    "a list as result",
    record({ last_check_result: [1] }),
    `Service web1!Disk: unsupported: ${place}: last_check_result must be an object`,
  ],
  [
    "an output that is an object",
    record({ last_check_result: { output: {} } }),
    `Service web1!Disk: unsupported: ${place}: last_check_result.output must be a string`,
  ],
  [
    "users that are not texts",
    record({ notified_problem_users: [{}] }, { type: "Notification", name: "web1!n" }),
    `Notification web1!n: unsupported: ${place}: notified_problem_users must be a list of strings`,
  ],
  [
    "values in values",
    netstring(`${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}`),
    `record ${place}: unsupported: the record has more than 200000 values`,
  ],
  [
    "lists nested as deep as the limit of values",
    netstring(`${"[".repeat(90_000)}${"]".repeat(90_000)}`),
    `record ${place}: unsupported: the record must be an object`,
  ],
  [
    "a huge record",
    netstring("x".repeat(17 * 2 ** 20)),
    `record ${place}: unsupported: the record is larger than 16 MiB`,
  ],
];
for (const [what, text, finding] of bad)
  test(`[IM39] a record with ${what} is reported with its place, and the rest is taken over`, {
    timeout,
  }, async (t) => {
    const { code, stdout, states } = await importIcingaStates(t, good + text);
    assert.equal(code, 3);
    assert.ok(stdout.includes(`lib/icinga2.state:1: ${finding}`), stdout);
    assert.deepEqual(states.get("web1")?.state.phase, { kind: "ok" });
    assert.equal(states.has("web1!Disk"), false);
  });

test("[IM39] names of prototypes, times of no calendar and fields without a value are only data", async (t) => {
  const odd = ["__proto__", "constructor"].map((name) => ({ type: name, name, update: {} }));
  const extreme = {
    state_raw: -5.5,
    check_attempt: -1,
    last_state_change: 1e300,
    last_check_result: { execution_start: -1 },
  };
  const { code, states, stdout } = await importIcingaStates(
    t,
    stateText([...odd, { type: "Host", name: "web1", update: extreme }, { type: "Host", name: "web2", update: {} }]),
  );
  assert.equal(code, 0, stdout);
  assert.equal(states.get("web1")?.state.lastChangeAtMs, Date.parse("9999-12-31T23:59:59Z"));
  assert.deepEqual(states.get("web2")?.state.phase, { kind: "pending" });
});
