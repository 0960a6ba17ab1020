import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { healthy, startPair } from "../../faults/pair/pair-environment.ts";
import {
  isActive,
  type PairTestMember,
  patienceMs,
  switchPair,
  toldBy,
  untilPair,
} from "../../faults/pair/pair-member.ts";
import { statusRows } from "../../run/rows.ts";

const extraHost = `
hosts: extra: {address: "a", check: {type: "passive", freshness_threshold: "10h", flap: {enabled: false}}}
`;

test("[PA57] both members say whether their documents differ, and a takeover keeps the running one until a reload", {
  timeout: 200_000,
}, async (t) => {
  const pair = await startPair(t);
  const rewrite = ({ document, program }: PairTestMember, text: string): void => {
    writeFileSync(document, text);
    program.signal("SIGHUP");
  };
  const differ = async (expected: boolean): Promise<void> => {
    for (const member of pair.members)
      await untilPair(`documents differ: ${expected}`, member, (seen) => (seen.documentsDiffer ?? false) === expected);
    const line = expected ? /^documents +differ$/m : /^documents +the same$/m;
    // Metrics are rendered once a second at most.
    for (const member of pair.members)
      await until(
        `${member.name} says so: ${expected}`,
        async () => {
          const { printed, metrics } = await toldBy(member);
          return line.test(printed) && metrics.get("documents_differ") === Number(expected);
        },
        { withinMs: patienceMs },
      );
  };
  const hasExtraHost = async ({ program }: PairTestMember): Promise<boolean> =>
    (await statusRows(program.base))["extra"] !== undefined;
  const { active: first, standby: second } = await healthy(pair);
  const text = readFileSync(first.document, "utf8") + extraHost;
  await differ(false);

  await t.test("the standby has another file", async () => {
    rewrite(second, text);
    await differ(true);
  });

  await t.test("it goes on with the running document after a switch", async () => {
    await switchPair(first);
    await untilPair("is active", second, isActive);
    await healthy(pair);
    assert.equal(await hasExtraHost(second), false);
    await differ(true);
  });

  await t.test("a reload brings its own", async () => {
    second.program.signal("SIGHUP");
    await until("the host is there", () => hasExtraHost(second), { withinMs: patienceMs });
    await differ(true);
    rewrite(first, text);
    await differ(false);
  });

  await t.test("a file that was reloaded by the active member is its own when it follows", async () => {
    const again = `${text}// a comment\n`;
    rewrite(second, again);
    rewrite(first, again);
    await until("it was reloaded", () => second.program.output().split("the configuration was reloaded").length > 3, {
      withinMs: patienceMs,
      seen: () => second.program.output().slice(-2_000),
    });
    await switchPair(second);
    await healthy(pair);
    await differ(false);
  });

  await t.test("a restart alone goes on with the document that ran", async () => {
    const { active, standby } = await healthy(pair);
    await standby.program.stop();
    writeFileSync(active.document, text.replace(extraHost, ""));
    await active.program.restart();
    await until("the host is there", () => hasExtraHost(active).catch(() => false), { withinMs: patienceMs });
    await untilPair("its file differs", active, (seen) => isActive(seen) && seen.documentsDiffer === true);
  });
});
