import { acknowledge, setWebhookBehaviour, downtime, submit, switchContact, waitForAttempts } from "./scenario-actions.ts";
import { runScenarios } from "./run-scenarios.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

const db = `hosts: "$db": {}`;
const climbing = (interval: string): string => `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [
	{contacts: ["$ann"], threshold: 1, renotify_interval: "${interval}"},
	{contacts: ["$bea"], renotify_interval: "0s"},
]`;

/** The agent is stopped at 2 s, and killed at 5 s. */
const scenarios: readonly Scenario[] = [
  scenario(
    "F05 nagioscore#752: a repetition that is due in a downtime is not sent by a restart",
    climbing("1s"),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"), downtime("db", { forS: 3_600 }));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expect(between(0, 1), "bea DOWNTIME_START CRITICAL db level 1");
      expectNone(between(1, 8));
    },
  ),

  scenario("[I5] the end of a problem is told to those who knew of it before", climbing("1s"), ({ at, expect }) => {
    at(0, submit("db", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db");
    expect(between(1, 2), "bea PROBLEM CRITICAL db");
    at(6, submit("db", "ok"));
    expect(between(6, 7), "ann RECOVERY OK db", "bea RECOVERY OK db");
  }),

  scenario("[NO2] a problem that was told is not told again", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db");
    at(3, submit("db", "critical"));
    expectNone(between(3, 6));
    at(6, submit("db", "critical"));
    expectNone(between(6, 8));
  }),

  scenario("[NO11] the level and its turn are kept", climbing("4s"), ({ at, expect }) => {
    at(0, submit("db", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
    expect(between(4, 7), "bea PROBLEM CRITICAL db level 1 number 2");
  }),

  scenario(
    "[DL6] a digest that was being gathered comes once, and whole",
    `contacts: "$ann": group_wait: "4s"\nhosts: {"$a": {}, "$b": {}}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("a", "critical"), submit("b", "critical"));
      expect(between(4, 7), "ann digest: PROBLEM CRITICAL a, PROBLEM CRITICAL b");
      expectNone(between(7, 8));
    },
  ),

  scenario("[DL2] what a failing receiver did not take comes after the restart", db, ({ at, expect }) => {
    at(0, setWebhookBehaviour("ann", 503), submit("db", "critical"), waitForAttempts("ann"));
    at(3, setWebhookBehaviour("ann", "ok"));
    expect(between(3, 7), "ann PROBLEM CRITICAL db level 0 number 1");
  }),

  scenario("[ST1] attempts are counted on", `hosts: "$db": check: max_attempts: 3`, ({ at, expect, expectNone }) => {
    at(0, submit("db", "ok", "critical"));
    at(3, submit("db", "critical"));
    expectNone(between(0, 6));
    at(6, submit("db", "critical"));
    expect(between(6, 7), "ann PROBLEM CRITICAL db");
  }),

  scenario("[AC3] a sticky acknowledgement holds", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "warning"), acknowledge("db", { sticky: true }));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(3, submit("db", "critical"));
    expectNone(between(3, 6));
    at(6, submit("db", "ok"));
    expect(between(6, 7), "ann RECOVERY OK db");
  }),

  scenario("[NO18] a downtime that ends meanwhile is told at the start, with what it hid", db, ({ at, expect }) => {
    at(0, submit("db", "ok"), downtime("db", { forS: 2 }), submit("db", "critical"));
    expect(between(0, 1), "ann DOWNTIME_START OK db");
    expect(between(2, 5), "ann DOWNTIME_END CRITICAL db", "ann PROBLEM CRITICAL db");
  }),

  scenario("[DT9] a downtime is told to begin and to end once", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "ok"), downtime("db", { forS: 10 }));
    expect(between(0, 1), "ann DOWNTIME_START OK db");
    expectNone(between(1, 9));
    expect(between(9.9, 12), "ann DOWNTIME_END OK db");
  }),

  scenario("[NO16] flapping that was told is not told again", `hosts: "$db": check: flap: enabled: true`, (line) => {
    const { at, expect, expectNone } = line;
    at(0, submit("db", "ok", "ok", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db");
    at(1, submit("db", "warning", "critical", "warning"));
    expect(between(1, 2), "ann STATUS_CHANGE WARNING db", "ann STATUS_CHANGE CRITICAL db");
    expect(between(1, 2), "ann FLAPPING_START WARNING db");
    expectNone(between(2, 6));
    at(6, submit("db", ...Array.from({ length: 15 }, () => "ok" as const)));
    expect(between(6, 7), "ann FLAPPING_STOP OK db");
    expect(between(6, 7), "ann RECOVERY OK db");
  }),

  scenario("[NO12] a contact that was switched off stays off", db, ({ at, expect, expectNone }) => {
    at(0, switchContact("ann", false), submit("db", "critical"));
    expectNone(between(0, 6));
    at(6, switchContact("ann", true));
    expect(between(6, 8), "ann PROBLEM CRITICAL db level 0 number 1");
  }),
];

runScenarios("restarts", {
  scenarios,
  breaks: [
    { atS: 2, act: ({ agent }) => agent.restart() },
    {
      atS: 5,
      async act({ agent }) {
        await agent.stop("SIGKILL");
        await agent.restart();
      },
    },
  ],
});
