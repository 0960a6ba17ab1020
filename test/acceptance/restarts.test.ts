import { runScenarios } from "./run-scenarios.ts";
import { between, type Scenario, scenario } from "./scenario.ts";
import {
  acknowledge,
  downtime,
  setWebhookBehaviour,
  submit,
  switchContact,
  waitForAttempts,
} from "./scenario-actions.ts";

const db = `hosts: "$db": {}`;
const withTwoLevels = (interval: string): string => `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [
	{contacts: ["$ann"], threshold: 1, renotify_interval: "${interval}"},
	{contacts: ["$bea"], renotify_interval: "0s"},
]`;

/** Scenarios over an orderly restart at 2 s and a kill at 5 s. */
const scenarios: readonly Scenario[] = [
  scenario(
    // As in nagioscore#752.
    "[DU11] a renotification that is due in a downtime is not sent by a restart",
    withTwoLevels("1s"),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"), downtime("db", { forS: 3_600 }));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expect(between(0, 1), "bea DOWNTIME_START CRITICAL db level 1");
      expectNone(between(1, 8));
    },
  ),

  scenario(
    "[NO14, DU11] the recovery is sent to the contacts that were notified before the restarts",
    withTwoLevels("1s"),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expect(between(1, 2), "bea PROBLEM CRITICAL db");
      at(6, submit("db", "ok"));
      expect(between(6, 7), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO10, DU11] a notified problem is not notified again after a restart",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(3, submit("db", "critical"));
      expectNone(between(3, 6));
      at(6, submit("db", "critical"));
      expectNone(between(6, 8));
    },
  ),

  scenario("[NO11, DU11] escalation level and due time survive restarts", withTwoLevels("4s"), ({ at, expect }) => {
    at(0, submit("db", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
    expect(between(4, 7), "bea PROBLEM CRITICAL db level 1 number 2");
  }),

  scenario(
    "[DL6] a digest whose window spans restarts is delivered once, and complete",
    `contacts: "$ann": group_wait: "4s"\nhosts: {"$a": {}, "$b": {}}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("a", "critical"), submit("b", "critical"));
      expect(between(4, 7), "ann digest: PROBLEM CRITICAL a, PROBLEM CRITICAL b");
      expectNone(between(7, 8));
    },
  ),

  scenario(
    "[DL2] a notification that the receiver failed to accept is delivered after the restart",
    db,
    ({ at, expect }) => {
      at(0, setWebhookBehaviour("ann", 503), submit("db", "critical"), waitForAttempts("ann"));
      at(3, setWebhookBehaviour("ann", "ok"));
      expect(between(3, 7), "ann PROBLEM CRITICAL db level 0 number 1");
    },
  ),

  scenario(
    "[ST3, DU11] the attempt number survives restarts",
    `hosts: "$db": check: max_attempts: 3`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok", "critical"));
      at(3, submit("db", "critical"));
      expectNone(between(0, 6));
      at(6, submit("db", "critical"));
      expect(between(6, 7), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario("[AC3, DU11] a sticky acknowledgement survives restarts", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "warning"), acknowledge("db", { sticky: true }));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(3, submit("db", "critical"));
    expectNone(between(3, 6));
    at(6, submit("db", "ok"));
    expect(between(6, 7), "ann RECOVERY OK db");
  }),

  scenario(
    "[NO18] a downtime that ends while the agent is stopped is notified at the start, with the suppressed problem",
    db,
    ({ at, expect }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 2 }), submit("db", "critical"));
      expect(between(0, 1), "ann DOWNTIME_START OK db");
      expect(between(2, 5), "ann DOWNTIME_END CRITICAL db", "ann PROBLEM CRITICAL db");
    },
  ),

  scenario("[DT9] the start and the end of a downtime are notified once", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "ok"), downtime("db", { forS: 10 }));
    expect(between(0, 1), "ann DOWNTIME_START OK db");
    expectNone(between(1, 9));
    expect(between(9.9, 12), "ann DOWNTIME_END OK db");
  }),

  scenario(
    "[NO16, DU11] flapping that was notified is not notified again",
    `hosts: "$db": check: flap: enabled: true`,
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("db", "ok", "ok", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, submit("db", "warning", "critical", "warning"));
      expect(between(1, 2), "ann STATUS_CHANGE WARNING db", "ann STATUS_CHANGE CRITICAL db");
      expect(between(1, 2), "ann FLAPPING_START WARNING db");
      expectNone(between(2, 6));
      at(6, submit("db", ...Array.from({ length: 15 }, () => "ok" as const)));
      expect(between(6, 7), "ann FLAPPING_STOP OK db");
      expect(between(6, 7), "ann RECOVERY OK db");
    },
  ),

  scenario("[NO12, DU11] a contact with notifications disabled stays so", db, ({ at, expect, expectNone }) => {
    at(0, switchContact("ann", false), submit("db", "critical"));
    expectNone(between(0, 6));
    at(6, switchContact("ann", true));
    expect(between(6, 8), "ann PROBLEM CRITICAL db level 0 number 1");
  }),
];

runScenarios("restarts", {
  scenarios,
  barriers: [
    { atS: 2, action: ({ agent }) => agent.restart() },
    {
      atS: 5,
      async action({ agent }) {
        await agent.stop("SIGKILL");
        await agent.restart();
      },
    },
  ],
});
