import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { isLibcSupported } from "../libc/libc.ts";
import { type EchoProber, openEchoProber } from "./echo-prober.ts";

const prober = openEchoProber({ clock: systemClock });
after(() => prober.close());

const probe = (address: string, { timeoutMs = 5_000, by = prober as EchoProber } = {}) =>
  by.probe({ address, count: 5, spacingMs: 20, timeoutMs });

/** Raw sockets need CAP_NET_RAW. */
const mayProbe = isLibcSupported() && (await probe("127.0.0.1")).kind === "answered";
const skip = mayProbe ? false : "raw sockets are not permitted";

for (const address of ["127.0.0.1", "127.8.9.10", "::1"])
  test(`all five echoes to ${address} are answered`, {
    skip: skip || (address === "::1" && ipv6SkipReason),
  }, async () => {
    const result = await probe(address);
    assert.ok(result.kind === "answered");
    assert.deepEqual([result.sent, result.received, result.refusal], [5, 5, ""]);
    assert.ok((result.averageMs ?? -1) > 0);
  });

test("thousands of concurrent rounds each get all of their replies", { skip }, async () => {
  const addresses = Array.from({ length: 3_000 }, (_, n) => `127.${1 + (n >> 8)}.${n & 255}.1`);
  const results = await Promise.all(addresses.map((address) => probe(address, { timeoutMs: 20_000 })));
  assert.ok(results.every((result) => result.kind === "answered" && result.received === 5));
});

test("a round without replies ends at its timeout", { skip }, async () => {
  const result = await probe("240.0.0.1", { timeoutMs: 200 });
  assert.ok(result.kind === "answered" && result.received === 0);
});

test("a closed prober accepts no rounds and ends pending ones", { skip }, async () => {
  const own = openEchoProber({ clock: systemClock });
  await probe("127.0.0.1", { by: own });
  const underWay = probe("240.0.0.1", { by: own });
  await own.close();
  assert.equal((await probe("127.0.0.1", { by: own })).kind, "unavailable");
  const result = await underWay;
  assert.ok(result.kind === "unavailable" || result.received === 0);
});

test("when the thread dies its rounds are unavailable, and a new thread starts after a delay", { skip }, async () => {
  let nowMs = 0;
  const own = openEchoProber({ clock: { ...systemClock, monotonic: () => nowMs } });
  const [healthy, deadly] = await Promise.all([probe("240.0.0.1", { by: own }), probe("no::address", { by: own })]);
  assert.deepEqual([healthy.kind, deadly.kind], ["unavailable", "unavailable"]);
  nowMs = 9_999;
  assert.equal((await probe("127.0.0.1", { by: own })).kind, "unavailable");
  nowMs = 10_000;
  assert.equal((await probe("127.0.0.1", { by: own })).kind, "answered");
  await own.close();
});

test("closing leaves no descriptor open", { skip }, async () => {
  const open = (): number => readdirSync("/proc/self/fd").length;
  const round = async (): Promise<void> => {
    const own = openEchoProber({ clock: systemClock });
    await probe("127.0.0.1", { by: own });
    await own.close();
  };
  await round();
  const before = open();
  for (let left = 5; left > 0; left--) await round();
  assert.ok(open() <= before, `${open()} after ${before}`);
});

test("an unused prober can be closed", async () => openEchoProber({ clock: systemClock }).close());
