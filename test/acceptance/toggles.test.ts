import { sendCommand } from "../run/rows.ts";
import { sendCustom, submit } from "./scenario-actions.ts";
import { runScenarios, type ScenarioAgent } from "./run-scenarios.ts";
import { between, scenario } from "./scenario.ts";

const db = `hosts: "$db": {}`;
const all =
  (enabled: boolean) =>
  async ({ agent }: ScenarioAgent): Promise<void> => {
    await sendCommand(agent.base, "SetProgramNotifications", { enabled, author: "carl" });
  };

/** All notifications are off from 1 s on, and on again from 4 s. */
runScenarios("all notifications off and on", {
  scenarios: [
    scenario("[NO20] a problem that holds is told once they are on", db, ({ at, expect, expectNone }) => {
      at(2, submit("db", "critical", "warning"));
      expectNone(between(0, 4));
      expect(between(4, 5), "ann PROBLEM WARNING db level 0 number 1");
    }),
    scenario("[NO20] a problem that came and went is not told", db, ({ at, expectNone }) => {
      at(2, submit("db", "critical", "ok"));
      expectNone(between(0, 6));
    }),
    scenario("[NO20] a recovery that came meanwhile is gone", db, ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      expectNone(between(2, 6));
    }),
    scenario("[NO20] words that were said meanwhile are gone", db, ({ at, expectNone }) => {
      at(2, submit("db", "ok"), sendCustom("db", "hello?"));
      expectNone(between(0, 6));
    }),
    scenario("[NO10] a problem that was known before is no news", db, ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(2, submit("db", "critical"));
      expectNone(between(2, 6));
      at(6, submit("db", "ok"));
      expect(between(6, 7), "ann RECOVERY OK db");
    }),
  ],
  breaks: [
    { atS: 1, act: all(false) },
    { atS: 4, act: all(true) },
  ],
});
