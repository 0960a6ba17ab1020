import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { root } from "../architecture/sources.ts";
import { judgedUnderLoad } from "../faults/pair/judged-under-load.ts";
import { healthy, startPair } from "../faults/pair/pair-environment.ts";
import { isActive, type PairTestMember, switchPair, untilPair } from "../faults/pair/pair-member.ts";
import { buildPrevious, previous, removeBuild } from "./previous-build.ts";

describe(`an upgrade of a pair from commit ${previous.name}`, { skip: previous.skip }, () => {
  let old = "";
  before(async () => {
    old = await buildPrevious(["agent"]);
  });
  after(() => removeBuild(old));

  for (const [from, to] of [
    ["old", "new"],
    ["new", "old"],
  ] as const)
    test(`[PA11, PA30, PA43] standby first, from ${from} to ${to}: no command is lost, each notification arrives`, async (t) => {
      const checkoutOf = (build: "old" | "new") => (build === "old" ? old : undefined);
      const runs = ({ program }: PairTestMember): string =>
        readFileSync(`/proc/${program.pid}/cmdline`, "utf8").includes(old.slice(root.length)) ? "old" : "new";
      const checkout = checkoutOf(from);
      const pair = await startPair(t, checkout === undefined ? {} : { checkout });
      await judgedUnderLoad(t, pair, async () => {
        const { active: first, standby: second } = await healthy(pair);
        await second.replace(checkoutOf(to));
        assert.deepEqual([(await healthy(pair)).active, runs(first), runs(second)], [first, from, to]);
        await switchPair(first);
        await untilPair("is active", second, isActive);
        // The member of the other build is active, with a standby that is to be replaced.
        assert.equal((await healthy(pair)).active, second);
        await first.replace(checkoutOf(to));
        assert.deepEqual([(await healthy(pair)).active, runs(first)], [second, to]);
        await switchPair(second);
        await untilPair("is active", first, isActive);
        const { reason } =
          (await untilPair("knows why", first, ({ lastTakeover }) => lastTakeover !== undefined)).lastTakeover ?? {};
        assert.equal(reason, "switch");
      });
    });
});
