import { between, type Scenario, scenario } from "./scenario.ts";
import { acknowledge, cancelDowntime, downtime, sendCustom, submit } from "./scenario-actions.ts";

const db = `hosts: "$db": {}`;
const web = `hosts: "$web": services: http: {}`;

/** Scenarios of downtimes. */
export const downtimeScenarios: readonly Scenario[] = [
  scenario(
    // As in icinga2#5919.
    "[DT1, NO18] a problem that lasts to the end of a downtime is notified then, once",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 3, comment: "new disks" }));
      expect(between(0, 1), "ann DOWNTIME_START OK db level 0 number 0 by carl: new disks");
      at(1, submit("db", "critical"));
      expectNone(between(1, 2.9));
      expect(between(2.9, 4), "ann DOWNTIME_END CRITICAL db", "ann PROBLEM CRITICAL db level 0 number 1");
      expectNone(between(4, 5));
      at(5, submit("db", "ok"));
      expect(between(5, 6), "ann RECOVERY OK db");
    },
  ),

  scenario("[NO18] a problem that begins and ends in a downtime is not notified", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "ok"), downtime("db", { forS: 3 }));
    expect(between(0, 1), "ann DOWNTIME_START OK db");
    at(1, submit("db", "critical", "warning", "ok"));
    expect(between(3, 4), "ann DOWNTIME_END OK db");
    expectNone(between(4, 5));
  }),

  scenario(
    "[NO18, NO14] the recovery of a notified problem is notified when the downtime ends",
    db,
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, downtime("db", { forS: 3 }));
      expect(between(1, 2), "ann DOWNTIME_START CRITICAL db");
      at(2, submit("db", "ok"));
      expect(between(4, 5), "ann DOWNTIME_END OK db", "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[NO18] a problem that was notified before a downtime is not notified again after it",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, downtime("db", { forS: 2 }));
      expect(between(1, 2), "ann DOWNTIME_START CRITICAL db");
      expect(between(3, 4), "ann DOWNTIME_END CRITICAL db");
      expectNone(between(4, 6));
    },
  ),

  scenario(
    "[DT11, NO18] a cancelled downtime sends DOWNTIME_CANCELLED and then the suppressed problem",
    db,
    ({ at, expect }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 3_600 }));
      expect(between(0, 1), "ann DOWNTIME_START OK db");
      at(1, submit("db", "critical"));
      at(2, cancelDowntime());
      expect(between(2, 3), "ann DOWNTIME_CANCELLED CRITICAL db", "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DT11] a downtime that is cancelled before its start sends no notification",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok"), downtime("db", { inS: 3, forS: 60 }));
      at(1, cancelDowntime());
      expectNone(between(0, 4));
      at(4, submit("db", "critical"));
      expect(between(4, 5), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DT2] a flexible downtime begins with the problem and lasts its duration",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 60, flexibleS: 3 }));
      expectNone(between(0, 1));
      at(1, submit("db", "critical"));
      expect(between(1, 2), "ann DOWNTIME_START CRITICAL db");
      expectNone(between(2, 3.9));
      expect(between(3.9, 5), "ann DOWNTIME_END CRITICAL db", "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DT2] a flexible downtime without a problem expires without notification",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 2, flexibleS: 60 }));
      expectNone(between(0, 3));
      at(3, submit("db", "critical"));
      expect(between(3, 4), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DT3] a triggered downtime begins with its trigger",
    `hosts: {"$gw": {}, "$web": {}}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok"), submit("web", "ok"));
      at(0, downtime("gw", { forS: 60, flexibleS: 4, saveAs: "gw" }), downtime("web", { forS: 60, triggeredBy: "gw" }));
      expectNone(between(0, 1));
      at(1, submit("gw", "critical"));
      expect(between(1, 2), "ann DOWNTIME_START CRITICAL gw", "ann DOWNTIME_START OK web");
      at(2, submit("web", "critical"));
      expectNone(between(2, 4.9));
      expect(between(4.9, 6), "ann DOWNTIME_END CRITICAL gw", "ann PROBLEM CRITICAL gw");
      expect(between(4.9, 6), "ann DOWNTIME_END CRITICAL web", "ann PROBLEM CRITICAL web");
    },
  ),

  scenario(
    "[DT13] a host's downtime suppresses the notifications of its services",
    web,
    ({ at, expect, expectNone }) => {
      at(0, submit("web", "ok"), submit("web/http", "ok"), downtime("web", { forS: 3 }));
      expect(between(0, 1), "ann DOWNTIME_START OK web");
      at(1, submit("web/http", "critical"));
      expectNone(between(1, 2.9));
      expect(between(2.9, 4), "ann DOWNTIME_END OK web", "ann PROBLEM CRITICAL web/http");
    },
  ),

  scenario(
    "[DT13] with include_services each service has and notifies a downtime of its own",
    web,
    ({ at, expect, expectNone }) => {
      at(0, submit("web", "ok"), submit("web/http", "ok"), downtime("web", { forS: 2, includeServices: true }));
      expect(between(0, 1), "ann DOWNTIME_START OK web", "ann DOWNTIME_START OK web/http");
      expect(between(2, 3), "ann DOWNTIME_END OK web", "ann DOWNTIME_END OK web/http");
      expectNone(between(3, 4));
    },
  ),

  scenario("[DT5] overlapping downtimes are notified as one", db, ({ at, expect, expectNone }) => {
    at(0, submit("db", "ok"), downtime("db", { forS: 3 }), downtime("db", { inS: 1, forS: 4 }));
    expect(between(0, 1), "ann DOWNTIME_START OK db");
    expectNone(between(1, 4.9));
    expect(between(4.9, 6), "ann DOWNTIME_END OK db");
  }),

  scenario(
    "[NO15] custom notifications and acknowledgements are suppressed in a downtime",
    db,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, downtime("db", { forS: 60 }));
      expect(between(1, 2), "ann DOWNTIME_START CRITICAL db");
      at(2, sendCustom("db", "hello?"), acknowledge("db", { notify: true }));
      expectNone(between(2, 4));
    },
  ),

  scenario(
    "[NO18] a renotification that is due in a downtime is skipped",
    `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [
	{contacts: ["$ann"], threshold: 1, renotify_interval: "4s"},
	{contacts: ["$bea"], renotify_interval: "0s"},
]`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, downtime("db", { forS: 5 }));
      expect(between(1, 2), "bea DOWNTIME_START CRITICAL db level 1");
      expectNone(between(2, 5.9));
      expect(between(5.9, 7), "bea DOWNTIME_END CRITICAL db level 1");
      expect(between(7.9, 9), "bea PROBLEM CRITICAL db level 1 number 2");
    },
  ),

  scenario(
    "[NO8] a level that disables DOWNTIME_START and DOWNTIME_END is not notified of them",
    `${db}
notifications: "$ops": levels: [{contacts: ["$ann"], disabled_kinds: ["DOWNTIME_START", "DOWNTIME_END"]}]`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "ok"), downtime("db", { forS: 2 }));
      at(1, submit("db", "critical"));
      expectNone(between(0, 1.9));
      expect(between(1.9, 3), "ann PROBLEM CRITICAL db");
      at(3, downtime("db", { forS: 60 }), cancelDowntime());
      expect(between(3, 4), "ann DOWNTIME_CANCELLED CRITICAL db");
    },
  ),
];
