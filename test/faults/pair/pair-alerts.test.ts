import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { statusRows } from "../../run/rows.ts";
import { healthy, startPair } from "./pair-environment.ts";
import { isActive, type PairTestMember, patienceMs, switchPair, untilPair, wipe } from "./pair-member.ts";

const document = `
hosts: web1: {
  address: "192.0.2.1"
  check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}
}
receivers: prom: {type: "alertmanager", host: "node"}
`;
const endsAt = new Date(Date.now() + 3_600_000).toISOString();
const alertOf = (mount: string, severity: string, more: object = {}): object => ({
  ...{ labels: { node: "web1", mount, severity }, endsAt },
  ...more,
});
const resolved = { status: "resolved" };
const pathOf = ({ program }: PairTestMember): string => `${program.base}/api/v2/alerts`;

/** Sends alerts to a member until they are taken, as a Prometheus does. */
const post = (member: PairTestMember, ...alerts: readonly object[]): Promise<unknown> =>
  until("the alerts are taken", async () => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(pathOf(member), { method: "POST", headers, body: JSON.stringify(alerts) });
    assert.ok([200, 503].includes(response.status), await response.text());
    return response.status === 200;
  });

/** Waits until a member lists exactly the alerts of these mounts. */
const untilListed = (member: PairTestMember, mounts: string): Promise<unknown> => {
  let seen: unknown;
  return until(
    `${member.name} lists ${mounts}`,
    async () => {
      const listed = (await (await fetch(pathOf(member))).json()) as { readonly labels: { readonly mount: string } }[];
      seen = listed.map(({ labels }) => labels.mount).sort();
      return String(seen) === mounts;
    },
    { withinMs: patienceMs, seen: () => seen },
  );
};

/** Waits for the result of a post, and fails at another one: an earlier result has another text. */
async function assertResult(member: PairTestMember, status: string, output: string): Promise<void> {
  const row = await until("the result", async () => {
    const found = (await statusRows(member.program.base))["web1"];
    return found?.output === output && found;
  });
  assert.equal(row.status, `STATUS_${status}`);
}

const text = (summary: string): object => ({ annotations: { summary } });

test("[AR9, AR20] the alerts that fire are those of the pair, whichever member takes them", {
  timeout: 400_000,
}, async (t) => {
  const pair = await startPair(t, { documentOf: () => document });
  const { active: first, standby: second } = await healthy(pair);

  await t.test("after a switch the other member knows those that were sent before", async () => {
    await post(first, alertOf("/home", "warning", text("home is full")));
    await untilListed(second, "/home");
    await switchPair(first);
    await untilPair("is active", second, isActive);
    await untilListed(second, "/home");
    await post(second, alertOf("/var", "critical", { ...text("var is full"), ...resolved }));
    await post(second, alertOf("/tmp", "warning", text("tmp is full")));
    await assertResult(second, "WARNING", "tmp is full");
  });

  await t.test("after a switch back the first member knows what the other one has taken", async () => {
    await post(second, alertOf("/home", "warning", resolved), alertOf("/tmp", "warning", resolved));
    await post(second, alertOf("/srv", "critical", text("srv is full")));
    await healthy(pair);
    await switchPair(second);
    await untilPair("is active", first, isActive);
    await untilListed(first, "/srv");
    await post(first, alertOf("/home", "warning", resolved), alertOf("/opt", "warning", text("opt is full")));
    await assertResult(first, "CRITICAL", "srv is full");
  });

  await t.test("after a kill, and at a standby that was wiped", async () => {
    await healthy(pair);
    await wipe(second);
    await healthy(pair);
    await untilListed(second, "/opt,/srv");
    await first.program.stop("SIGKILL");
    await untilPair("is active", second, isActive);
    await post(second, alertOf("/srv", "critical", resolved));
    await assertResult(second, "WARNING", "opt is full");
    await post(second, alertOf("/opt", "warning", { ...text("done"), ...resolved }));
    await assertResult(second, "OK", "resolved: done");
    await first.program.restart();
    await healthy(pair);
    await untilListed(first, "");
  });

  await t.test("[SL9] no time between two members is a gap of history but one in which none judged", async () => {
    const { body } = await call(first.program.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_GAP"] });
    for (const { at, stoppedAt } of (body["records"] ?? []) as { readonly at: string; readonly stoppedAt: string }[])
      assert.ok(Date.parse(at) - Date.parse(stoppedAt) > 2_000, `${stoppedAt} to ${at}`);
  });
});
