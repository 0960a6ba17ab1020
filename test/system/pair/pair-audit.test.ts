import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { cutLink, healthy, startPair } from "../../faults/pair/pair-environment.ts";
import { type PairTestMember, patienceMs, promoteByForce, switchPair } from "../../faults/pair/pair-member.ts";

/** Calls and outcomes of the audit records in a member's journal, the oldest first. */
function auditOf({ program: { dataDir } }: PairTestMember): readonly string[] {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    return db
      .prepare("SELECT json FROM audit ORDER BY seq")
      .all()
      .map(({ json }) => JSON.parse(String(json)) as { readonly rpc: string; readonly outcome: string })
      .map(({ rpc, outcome }) => `${rpc.split("/").at(-1)} ${outcome}`);
  } finally {
    db.close();
  }
}

test("[PA52] an accepted switch and promotion are in the audit of both members, whichever member was asked", {
  timeout: 200_000,
}, async (t) => {
  const pair = await startPair(t);
  const expected: string[] = [];
  const audited = async (...records: string[]): Promise<void> => {
    expected.push(...records);
    for (const member of pair.members) {
      let seen: readonly string[] = [];
      await until(
        `${member.name} has the audit`,
        () => {
          seen = auditOf(member);
          return seen.length >= expected.length;
        },
        { withinMs: patienceMs, seen: () => seen },
      );
      assert.deepEqual(seen, expected);
    }
  };

  await t.test("a switch asked at the active member, which is stopped at once", async () => {
    const { active } = await healthy(pair);
    await switchPair(active);
    await active.program.restart();
    await healthy(pair);
    await audited("Switch accepted");
  });

  await t.test("a switch asked at the standby", async () => {
    await switchPair((await healthy(pair)).standby);
    await healthy(pair);
    await audited("Switch accepted");
  });

  await t.test("a promotion by force", async () => {
    const { active, standby } = await healthy(pair);
    cutLink(pair);
    await until("the standby lacks changes", () => /the standby asks no more/.test(active.program.output()), {
      withinMs: patienceMs,
    });
    await active.program.stop("SIGKILL");
    await promoteByForce(standby);
    pair.healLinks();
    await active.program.restart();
    await healthy(pair);
    // Earlier attempts were refused while the lease could still be renewed.
    const refused = "Promote rejected";
    const promotions = await until(
      "the promotion is in the audit",
      () => {
        const found = auditOf(standby).slice(expected.length);
        return found.at(-1) !== refused && found.length > 0 && found;
      },
      { withinMs: patienceMs },
    );
    assert.deepEqual(
      promotions.filter((record) => record !== refused),
      ["Promote accepted"],
    );
    await audited(...promotions);
  });
});
