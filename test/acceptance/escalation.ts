import { between, type Scenario, scenario } from "./scenario.ts";
import { acknowledge, removeAcknowledgement, sendCustom, submit } from "./scenario-actions.ts";

/** Document with contacts `$ann`, `$bea` and `$boss` and a policy of the given levels. */
const withLevels = (...levels: readonly string[]): string => `
hosts: "$db": {}
contacts: {"$bea": {}, "$boss": {}}
notifications: "$ops": levels: [${levels.map((level) => `{${level}}`).join(", ")}]`;

/** Scenarios of escalation levels, renotification and recovery. */
export const escalationScenarios: readonly Scenario[] = [
  scenario(
    "[NO7, NO11] a problem is renotified after the interval, and after `threshold` notifications by the next level",
    withLevels(
      `contacts: ["$ann"], threshold: 2, renotify_interval: "1s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
      expect(between(1, 2), "ann PROBLEM CRITICAL db level 0 number 2");
      expect(between(2, 3), "bea PROBLEM CRITICAL db level 1 number 3");
      expectNone(between(3, 5));
    },
  ),

  scenario(
    "[NO11] the interval is that of the level that has notified last",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$boss"], renotify_interval: "0s"`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      expect(between(2, 3), "bea PROBLEM CRITICAL db level 1");
      expect(between(3, 4), "boss PROBLEM CRITICAL db level 2 number 3");
    },
  ),

  scenario(
    "[NO14] a recovery is sent to all levels that were notified, and to no other",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "1h"`,
      `contacts: ["$boss"]`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expect(between(1, 2), "bea PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      expect(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO7] an interval of zero disables renotification",
    withLevels(`contacts: ["$ann"], renotify_interval: "0s"`),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expectNone(between(1, 4));
    },
  ),

  scenario(
    "[NO14] the next problem begins at the first level",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      expect(between(1, 2), "bea PROBLEM CRITICAL db level 1");
      at(2, submit("db", "ok"));
      expect(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
      at(3, submit("db", "warning"));
      expect(between(3, 4), "ann PROBLEM WARNING db level 0 number 1");
      expect(between(4, 5), "bea PROBLEM WARNING db level 1 number 2");
    },
  ),

  scenario(
    "[NO11] a status change goes to the current level and counts towards its threshold",
    withLevels(
      `contacts: ["$ann"], threshold: 2, renotify_interval: "1h"`,
      `contacts: ["$bea"], renotify_interval: "1h"`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "warning"));
      expect(between(0, 1), "ann PROBLEM WARNING db level 0 number 1");
      at(1, submit("db", "critical"));
      expect(between(1, 2), "ann STATUS_CHANGE CRITICAL db level 0 number 2");
      at(2, submit("db", "unknown"));
      expect(between(2, 3), "bea STATUS_CHANGE UNKNOWN db level 1 number 3");
      at(3, submit("db", "ok"));
      expect(between(3, 4), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO12] a contact of two levels receives each notification and the recovery once",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
      `contacts: ["$ann", "$bea"], renotify_interval: "0s"`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      expect(between(1, 2), "ann PROBLEM CRITICAL db level 1", "bea PROBLEM CRITICAL db level 1");
      at(2, submit("db", "ok"));
      expect(between(2, 3), "ann RECOVERY OK db", "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO8, NO24] a level that disables PROBLEM does not notify the problem, and notifies its recovery",
    withLevels(`contacts: ["$ann"], disabled_kinds: ["PROBLEM"]`),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expectNone(between(0, 1));
      at(1, submit("db", "ok"));
      expect(between(1, 2), "ann RECOVERY OK db");
      at(2, sendCustom("db", "still here"));
      expect(between(2, 3), "ann CUSTOM OK db");
    },
  ),

  scenario(
    "[NO8] a level that disables RECOVERY leaves out its own contacts only",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "1s", disabled_kinds: ["RECOVERY"]`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expect(between(1, 2), "bea PROBLEM CRITICAL db");
      at(2, submit("db", "ok"));
      expect(between(2, 3), "bea RECOVERY OK db");
      expectNone(between(3, 4));
    },
  ),

  scenario(
    "[NO8] a level that disables STATUS_CHANGE is notified of the problem and its recovery",
    withLevels(`contacts: ["$ann"], disabled_kinds: ["STATUS_CHANGE"]`),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "warning"));
      expect(between(0, 1), "ann PROBLEM WARNING db");
      at(1, submit("db", "critical"));
      expectNone(between(1, 2));
      at(2, submit("db", "ok"));
      expect(between(2, 3), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO19] while the period of a level is closed, no higher level is notified instead",
    `timeperiods: "$never": ranges: "2001-01-01": "00:00-24:00"
${withLevels(
  `contacts: ["$ann"], threshold: 1, renotify_interval: "1s"`,
  `contacts: ["$bea"], threshold: 1, renotify_interval: "1s", period: "$never"`,
  `contacts: ["$boss"], renotify_interval: "0s"`,
)}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expectNone(between(1, 4));
      at(4, submit("db", "ok"));
      expect(between(4, 5), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO15] a custom notification goes to the current level and does not change it",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], threshold: 1, renotify_interval: "3s"`,
      `contacts: ["$boss"], renotify_interval: "0s"`,
    ),
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
      expect(between(2, 3), "bea PROBLEM CRITICAL db level 1 number 2");
      at(3, sendCustom("db", "anybody?"));
      expect(between(3, 4), "boss CUSTOM CRITICAL db level 2 number 2 by carl: anybody?");
      expect(between(5, 6), "boss PROBLEM CRITICAL db level 2 number 3");
    },
  ),

  scenario(
    "[NO17] an acknowledgement stops the escalation, and its removal continues it at once",
    withLevels(
      `contacts: ["$ann"], threshold: 1, renotify_interval: "2s"`,
      `contacts: ["$bea"], renotify_interval: "0s"`,
    ),
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db level 0");
      at(0.5, acknowledge("db"));
      expectNone(between(1, 4));
      at(4, removeAcknowledgement("db"));
      expect(between(4, 5), "bea PROBLEM CRITICAL db level 1 number 2");
    },
  ),
];
