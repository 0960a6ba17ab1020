import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { nagiosSite } from "./nagios-site.fixture.ts";
import { randomRound, refs, results } from "./random-site.fixture.ts";
import { startNagios } from "./running-nagios.fixture.ts";

const skip = isInstalled("nagios4") ? false : "needs nagios4";

for (const [what, options] of [
  ["that are judged as by the agent", {}],
  ["as Nagios takes them by default", { translate_passive_host_checks: 0, passive_host_checks_are_soft: 0 }],
] as const)
  test(`[SH15] [SH16] a shadow agrees with nagios4 on every state of random results, passive hosts ${what}`, {
    skip,
  }, async (t) => {
    const nagios = await startNagios(t, nagiosSite(60), options);
    const config = join(tempFolder(t, "imported"), "realm.cue");
    const imported = await runRealmwatch(["import", "nagios", nagios.mainFile, "-out", config, "-lenient"]);
    assert.equal(imported.code, 0, imported.stderr);
    const agent = await startTestAgent(t, { config });
    const args = ["shadow", "-server", agent.base, "-status-dat", nagios.statusFile, "-for", "0s", "-o", "json"];
    const random = seededRandom(testSeed(t));
    const found: string[] = [];
    const byDesign: Record<string, number> = {};
    let compared = 0;
    for (let sent = 0; sent < results; sent += refs.length) {
      await nagios.send(randomRound(random));
      const { code, stdout, stderr } = await runRealmwatch(args);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout);
      compared += report.compared;
      for (const { object, kind, other, agent: own } of report.differences)
        if (kind !== "notification") found.push(`${sent} ${object}: ${other}, ${own}`);
      for (const { reason, count } of report.byDesign) byDesign[reason] = (byDesign[reason] ?? 0) + count;
      if ((sent / refs.length) % 10 === 0)
        console.log(
          `${sent + refs.length} results, ${compared} states compared, ${found.length} differ, by design: ${JSON.stringify(byDesign)}`,
        );
    }
    assert.deepEqual(found, [], `${compared} states compared`);
    assert.ok(compared >= results, `${compared} states compared`);
  });
