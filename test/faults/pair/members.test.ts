import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { type TestFlags, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { healthy, startPair } from "./pair-environment.ts";
import { isActive, pairAt, switchPair, untilPair } from "./pair-member.ts";
import { watchPair } from "./pair-watch.ts";

const keyHeader = "idempotency-key";

test("[PA14, FD20] a pair answers at both members, once for each key, and refuses other callers", {
  timeout: 400_000,
}, async (t) => {
  const pair = await startPair(t);
  const watch = await watchPair(t, pair);
  const comment = (text: string) => ({ target: hostTarget("h0"), author: "ann", text });
  const add = (at: { readonly base: string }, text: string, key: string) =>
    call(at.base, "CommandService/AddComment", comment(text), { [keyHeader]: key });
  const textsAt = async (at: { readonly base: string }): Promise<readonly string[]> =>
    ((await statusRows(at.base))["h0"]?.comments ?? []).map(({ text }) => text);

  await t.test("a standby answers reads and passes commands on", async () => {
    const { active, standby } = await healthy(pair);
    const answer = await add(standby.program, "first", "key-1");
    assert.ok(answer.ok, answer.message);
    assert.deepEqual(await textsAt(active.program), ["first"]);
    await until("the standby shows it", async () => (await textsAt(standby.program)).join() === "first");
  });

  await t.test("a command is repeated once only, over a switch and over a kill", async () => {
    for (const [key, kill] of [
      ["key-1", false],
      ["key-2", true],
    ] as const) {
      const { active, standby } = await healthy(pair);
      const text = key === "key-1" ? "first" : "second";
      const before = await add(active.program, text, key);
      assert.ok(before.ok, before.message);
      if (kill) await active.program.stop("SIGKILL");
      else await switchPair(active);
      await untilPair("is active", standby, isActive);
      const again = await until("it is answered", async () => {
        const answer = await add(standby.program, text, key);
        return answer.code !== "unavailable" && answer;
      });
      assert.deepEqual([again.code, again.body], ["", before.body]);
      if (kill) await active.program.restart();
    }
    const { active } = await healthy(pair);
    assert.deepEqual([...(await textsAt(active.program))].sort(), ["first", "second"]);
  });

  const other = join(tempFolder(t), "other");
  writeFileSync(other, "o".repeat(40));
  const strangers: readonly (readonly [what: string, flags: TestFlags, reason: RegExp])[] = [
    ["another secret", { "pair-secret-file": other }, /secret/],
    ["the same name", { pair: "fra-a" }, /name/],
    ["another realm", { realm: "ams" }, /realm/],
    ["another lease", { "pair-lease": "5s" }, /lease/],
    ["a third name", {}, /third|two members|fra-a|fra-b/],
  ];
  for (const [what, flags, reason] of strangers)
    await t.test(`a stranger with ${what} takes no part`, async (scope) => {
      const { active } = await healthy(pair);
      const { term } = await pairAt(active.program);
      const count = watch.leases.length;
      const stranger = await pair.startStranger(scope, flags);
      let seen: unknown;
      await until(
        "it says why",
        async () => {
          const told = await pairAt(stranger);
          seen = told;
          return !isActive(told) && reason.test(told.reason ?? "") && told.role === "PAIR_ROLE_REFUSED";
        },
        { seen: () => seen },
      );
      assert.equal((await fetch(`${stranger.base}/readyz`)).status, 503);
      await until("the lease is renewed", () => watch.leases.length > count + 2);
      const after = await healthy(pair);
      assert.deepEqual([after.active.name, (await pairAt(active.program)).term], [active.name, term]);
      scope.diagnostic(`${what}: ${JSON.stringify(seen)}`);
      await stranger.stop("SIGKILL");
    });
  assert.deepEqual(watch.failures(), []);
});
