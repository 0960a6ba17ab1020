import { sendCommand } from "../run/rows.ts";
import { runScenarios, type ScenarioAgent } from "./run-scenarios.ts";
import { between, scenario } from "./scenario.ts";
import { sendCustom, submit } from "./scenario-actions.ts";

const db = `hosts: "$db": {}`;
const setAllNotifications =
  (enabled: boolean) =>
  async ({ agent }: ScenarioAgent): Promise<void> => {
    await sendCommand(agent.base, "SetProgramNotifications", { enabled, author: "carl" });
  };

/** All notifications are disabled from 1 s to 4 s. */
runScenarios("all notifications disabled and enabled", {
  scenarios: [
    scenario("[NO20] an open problem is notified once they are enabled", db, ({ at, expect, expectNone }) => {
      at(2, submit("db", "critical", "warning"));
      expectNone(between(0, 4));
      expect(between(4, 5), "ann PROBLEM WARNING db level 0 number 1");
    }),
    scenario("[NO20] a problem that began and ended meanwhile is not notified", db, ({ at, expectNone }) => {
      at(2, submit("db", "critical", "ok"));
      expectNone(between(0, 6));
    }),
    scenario("[NO20] a recovery meanwhile is not notified later", db, ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      expectNone(between(2, 6));
    }),
    scenario("[NO20] a custom notification meanwhile is dropped", db, ({ at, expectNone }) => {
      at(2, submit("db", "ok"), sendCustom("db", "hello?"));
      expectNone(between(0, 6));
    }),
    scenario("[NO10] a problem that was notified before is not notified again", db, ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(2, submit("db", "critical"));
      expectNone(between(2, 6));
      at(6, submit("db", "ok"));
      expect(between(6, 7), "ann RECOVERY OK db");
    }),
  ],
  barriers: [
    { atS: 1, action: setAllNotifications(false) },
    { atS: 4, action: setAllNotifications(true) },
  ],
});
