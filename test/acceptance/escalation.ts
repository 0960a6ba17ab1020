import { acknowledge, removeAcknowledgement, sendCustom, submit } from "./scenario-actions.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

/** `$ann` first, then `$bea`, then `$boss`; the levels are written by each scenario. */
const climbing = (...levels: readonly string[]): string => `
hosts: "$db": {}
contacts: {"$bea": {}, "$boss": {}}
notifications: "$ops": levels: [${levels.map((level) => `{${level}}`).join(", ")}]`;

/** Who is told next, how often, and who hears of the end. */
export const escalationScenarios: readonly Scenario[] = [
  scenario(
    "[NO7, NO11] the clock repeats a problem, and after its threshold the next level has it",
    climbing(
      `contacts: ["$ann"], threshold: 2, renotify_interval: "1s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
      want(between(1, 2), "ann PROBLEM CRITICAL db level 0 number 2");
      want(between(2, 3), "bea PROBLEM CRITICAL db level 1 number 3");
      wantNone(between(3, 5));
    },
  ),

  scenario(
    "[NO11] the gap is that of the level that has just told",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$boss"], renotify_interval: "0s"`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      want(between(2, 3), "bea PROBLEM CRITICAL db level 1");
      want(between(3, 4), "boss PROBLEM CRITICAL db level 2 number 3");
    },
  ),

  scenario(
    "[NO14, I5] a recovery goes to all levels that were told, and to no other",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "1h"`,
      `contacts: ["$boss"]`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db");
      want(between(1, 2), "bea PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      want(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO7] an interval of zero never repeats",
    climbing(`contacts: ["$ann"], renotify_interval: "0s"`),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db");
      wantNone(between(1, 4));
    },
  ),

  scenario(
    "[NO14] the next problem begins at the first level",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      want(between(1, 2), "bea PROBLEM CRITICAL db level 1");
      at(2, submit("db", "ok"));
      want(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
      at(3, submit("db", "warning"));
      want(between(3, 4), "ann PROBLEM WARNING db level 0 number 1");
      want(between(4, 5), "bea PROBLEM WARNING db level 1 number 2");
    },
  ),

  scenario(
    "[NO11] a change of status counts, goes to the level as it is, and the next one to the level after",
    climbing(
      `contacts: ["$ann"], threshold: 2, renotify_interval: "1h"`,
      `contacts: ["$bea"], renotify_interval: "1h"`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "warning"));
      want(between(0, 1), "ann PROBLEM WARNING db level 0 number 1");
      at(1, submit("db", "critical"));
      want(between(1, 2), "ann STATUS_CHANGE CRITICAL db level 0 number 2");
      at(2, submit("db", "unknown"));
      want(between(2, 3), "bea STATUS_CHANGE UNKNOWN db level 1 number 3");
      at(3, submit("db", "ok"));
      want(between(3, 4), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO12] whoever is in two levels gets one message each time, and one recovery",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$ann", "$bea"], renotify_interval: "0s"`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      want(between(1, 2), "ann PROBLEM CRITICAL db level 1", "bea PROBLEM CRITICAL db level 1");
      at(2, submit("db", "ok"));
      want(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO8] a level without PROBLEM tells nobody, and nobody of the end",
    climbing(`contacts: ["$ann"], disabled_kinds: ["PROBLEM"]`),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical", "ok"));
      wantNone(between(0, 1));
      at(1, sendCustom("db", "still here"));
      want(between(1, 2), "ann CUSTOM OK db");
    },
  ),

  scenario(
    "[NO8] a level without RECOVERY lets its own down, and others not",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s", disabled_kinds: ["RECOVERY"]`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db");
      want(between(1, 2), "bea PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      want(between(2, 3), "bea RECOVERY OK db");
      wantNone(between(3, 4));
    },
  ),

  scenario(
    "[NO8] a level without STATUS_CHANGE hears of the problem and its end",
    climbing(`contacts: ["$ann"], disabled_kinds: ["STATUS_CHANGE"]`),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "warning"));
      want(between(0, 1), "ann PROBLEM WARNING db");
      at(1, submit("db", "critical"));
      wantNone(between(1, 2));
      at(2, submit("db", "ok"));
      want(between(2, 3), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO19] a level that is closed holds: nobody above it is told instead",
    `timeperiods: "$never": ranges: "2001-01-01": "00:00-24:00"
${climbing(
  `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
  `contacts: ["$bea"], threshold: 1, renotify_interval: "1s", period: "$never"`,
  `contacts: ["$boss"], renotify_interval: "0s"`,
)}`,
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db");
      wantNone(between(1, 4));
      at(4, submit("db", "ok"));
      want(between(4, 5), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO15] words go to the current level and move nothing",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "3s"`,
      `contacts: ["$boss"], renotify_interval: "0s"`,
    ),
    ({ at, want }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
      want(between(2, 3), "bea PROBLEM CRITICAL db level 1 number 2");
      at(3, sendCustom("db", "anybody?"));
      want(between(3, 4), "boss CUSTOM CRITICAL db level 2 number 2 by carl: anybody?");
      want(between(5, 6), "boss PROBLEM CRITICAL db level 2 number 3");
    },
  ),

  scenario(
    "an acknowledgement holds the escalation, and taking it back lets it go on at once",
    climbing(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, want, wantNone }) => {
      at(0, submit("db", "critical"));
      want(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      at(0.5, acknowledge("db"));
      wantNone(between(1, 4));
      at(4, removeAcknowledgement("db"));
      want(between(4, 5), "bea PROBLEM CRITICAL db level 1 number 2");
    },
  ),
];
