import { acknowledge, sendCustom, submit } from "./scenario-actions.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

const db = `hosts: "$db": {}`;
const repeating = `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [
	{contacts: ["$ann"], threshold: 1, renotify_interval: "1s"},
	{contacts: ["$bea"], renotify_interval: "0s"},
]`;

/** Somebody is on it. */
export const acknowledgementScenarios: readonly Scenario[] = [
  scenario(
    "[AC2] an acknowledged problem is not repeated, and its end is told",
    repeating,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"), acknowledge("db"));
      expect(between(0, 0.5), "ann PROBLEM CRITICAL db");
      expectNone(between(0.5, 3));
      at(3, submit("db", "ok"));
      expect(between(3, 4), "ann RECOVERY OK db");
    },
  ),

  scenario("[NO15] an acknowledgement is told where somebody wants that", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db");
    at(1, acknowledge("db", { notify: true, comment: "mine" }));
    expect(between(1, 2), "ann ACKNOWLEDGEMENT CRITICAL db level 0 number 1 by carl: mine");
    at(2, acknowledge("db", { comment: "and quietly" }));
    expectNone(between(2, 3));
  }),

  scenario("[AC2] a plain one ends with another status, which is told", db, ({ at, expect }) => {
    at(0, submit("db", "warning"));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(1, acknowledge("db"), submit("db", "critical"));
    expect(between(1, 2), "ann STATUS_CHANGE CRITICAL db");
  }),

  scenario("[AC3] a sticky one outlives another status, and ends with the problem", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "warning"));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(1, acknowledge("db", { sticky: true }), submit("db", "critical", "unknown"));
    expectNone(between(1, 3));
    at(3, submit("db", "ok"));
    expect(between(3, 4), "ann RECOVERY OK db");
    at(4, submit("db", "critical"));
    expect(between(4, 5), "ann PROBLEM CRITICAL db");
  }),

  scenario("[AC4, NO17] one that runs out lets the next message go at once", repeating, ({ at, expect, expectNone }) => {
    at(0, submit("db", "critical"), acknowledge("db", { sticky: true, forS: 3 }));
    expect(between(0, 0.5), "ann PROBLEM CRITICAL db level 0");
    expectNone(between(0.5, 3));
    expect(between(3, 4), "bea PROBLEM CRITICAL db level 1 number 2");
  }),

  scenario("[AC1] what is well cannot be acknowledged, and nobody is told that it was", db, ({ at, expectNone }) => {
    at(0, submit("db", "ok"), acknowledge("db", { notify: true }));
    expectNone(between(0, 2));
  }),

  scenario(
    "[NO8] a level without ACKNOWLEDGEMENT is spared it",
    `${db}\nnotifications: "$ops": levels: [{contacts: ["$ann"], disabled_kinds: ["ACKNOWLEDGEMENT", "CUSTOM"]}]`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, acknowledge("db", { notify: true }), sendCustom("db", "hear me"));
      expectNone(between(1, 2));
    },
  ),
];
