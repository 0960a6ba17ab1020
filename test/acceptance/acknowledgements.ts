import { between, type Scenario, scenario } from "./scenario.ts";
import { acknowledge, sendCustom, submit } from "./scenario-actions.ts";

const db = `hosts: "$db": {}`;
const repeating = `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [
	{contacts: ["$ann"], threshold: 1, renotify_interval: "1s"},
	{contacts: ["$bea"], renotify_interval: "0s"},
]`;

/** Scenarios of acknowledgements. */
export const acknowledgementScenarios: readonly Scenario[] = [
  scenario(
    "[NO17, NO14] an acknowledged problem is not renotified, and its recovery is notified",
    repeating,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"), acknowledge("db"));
      expect(between(0, 0.5), "ann PROBLEM CRITICAL db");
      expectNone(between(0.5, 3));
      at(3, submit("db", "ok"));
      expect(between(3, 4), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO15] an acknowledgement with notify is notified, one without is not",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, acknowledge("db", { notify: true, comment: "mine" }));
      expect(between(1, 2), "ann ACKNOWLEDGEMENT CRITICAL db level 0 number 1 by carl: mine");
      at(2, acknowledge("db", { comment: "and quietly" }));
      expectNone(between(2, 3));
    },
  ),

  scenario("[AC2] a plain acknowledgement ends with another status, which is notified", db, ({ at, expect }) => {
    at(0, submit("db", "warning"));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(1, acknowledge("db"), submit("db", "critical"));
    expect(between(1, 2), "ann STATUS_CHANGE CRITICAL db");
  }),

  scenario(
    "[AC3] a sticky acknowledgement survives another status, and ends with the problem",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "warning"));
      expect(between(0, 1), "ann PROBLEM WARNING db");
      at(1, acknowledge("db", { sticky: true }), submit("db", "critical", "unknown"));
      expectNone(between(1, 3));
      at(3, submit("db", "ok"));
      expect(between(3, 4), "ann RECOVERY OK db");
      at(4, submit("db", "critical"));
      expect(between(4, 5), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[AC4, NO17] when an acknowledgement expires, the next notification is sent at once",
    repeating,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"), acknowledge("db", { sticky: true, forS: 3 }));
      expect(between(0, 0.5), "ann PROBLEM CRITICAL db level 0");
      expectNone(between(0.5, 3));
      expect(between(3, 4), "bea PROBLEM CRITICAL db level 1 number 2");
    },
  ),

  scenario(
    "[AC1] an object without a problem is not acknowledged, and no acknowledgement is notified",
    db,
    ({ at, expectNone }) => {
      at(0, submit("db", "ok"), acknowledge("db", { notify: true }));
      expectNone(between(0, 2));
    },
  ),

  scenario(
    "[NO8] a level that disables ACKNOWLEDGEMENT and CUSTOM is not notified of them",
    `${db}\nnotifications: "$ops": levels: [{contacts: ["$ann"], disabled_kinds: ["ACKNOWLEDGEMENT", "CUSTOM"]}]`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, acknowledge("db", { notify: true }), sendCustom("db", "hear me"));
      expectNone(between(1, 2));
    },
  ),
];
