import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startNats, startTestAgent, startTestAggregator, tempFolder } from "../../run/processes.ts";
import { serviceTarget, statusRows } from "../../run/rows.ts";
import { jobLine } from "../../run/small-realm.ts";
import { untilRealmIs } from "../redis/redis-faults.ts";

/** Debian's libfaketime, which changes the wall clock of one process and not its monotonic clock. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const skip = existsSync(library) ? false : "libfaketime is not installed";
const job = serviceTarget("web1", "job");
const config = `hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
	services: {${jobLine}}
}
`;

test("[FD25] a step of a wall clock neither refuses a call in time nor lets one run late", { skip }, async (t) => {
  const folder = tempFolder(t, "clocks");
  const clockOf = (name: string) => {
    const file = join(folder, name);
    const set = (offset: string): void => writeFileSync(file, `${offset}\n`);
    set("+0");
    const env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    return { set, env };
  };
  const nats = await startNats(t);
  const flags = { "nats-url": nats.url };
  const clocks = { fra: clockOf("fra"), ams: clockOf("ams"), centre: clockOf("centre") };
  const [fra, ams] = await Promise.all(
    (["fra", "ams"] as const).map((realm) => startTestAgent(t, { config, realm, flags, env: clocks[realm].env })),
  );
  assert.ok(fra && ams);
  const realms = `realms: {fra: {url: "${fra.base}"}, ams: {}}\n`;
  const centre = await startTestAggregator(t, { realms, flags, env: clocks.centre.env });
  // The deadlines of calls are in the time of a process from which a heartbeat has arrived.
  for (const realm of ["fra", "ams"]) await untilRealmIs(centre, { realm, freshness: "CURRENT", rows: 2 });
  const add = (realm: string, text: string, headers = {}) => {
    const request = { target: job, author: "ann", text };
    return call(centre.base, "RealmCommandService/AddComment", { realm, request }, headers);
  };
  const textsAt = async (base: string): Promise<readonly string[]> =>
    ((await statusRows(base))["web1!job"]?.comments ?? []).map(({ text }) => text);

  for (const [name, clock] of Object.entries(clocks))
    for (const offset of ["-10m", "+10m", "+0"]) {
      clock.set(offset);
      const answers = await Promise.all(["fra", "ams"].flatMap((realm) => [1, 2, 3].map(() => add(realm, "in time"))));
      const refused = answers.filter(({ ok }) => !ok).map(({ code, message }) => `${code} ${message}`);
      assert.deepEqual(refused, [], `${name} ${offset}`);
    }

  for (const [realm, agent] of [
    ["fra", fra],
    ["ams", ams],
  ] as const) {
    clocks[realm].set("-10m");
    agent.signal("SIGSTOP");
    const { code } = await add(realm, "late", { "connect-timeout-ms": "700" });
    assert.equal(code, "deadline_exceeded");
    agent.signal("SIGCONT");
    await until("commands go on", async () => (await add(realm, "after")).ok);
    const texts = await until("they are executed", async () => {
      const all = await textsAt(agent.base);
      return all.includes("after") && all;
    });
    assert.ok(!texts.includes("late"), `${realm} has executed the call after its deadline`);
  }
});
