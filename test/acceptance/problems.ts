import { between, type Scenario, scenario } from "./scenario.ts";
import { setWebhookBehaviour, submit, waitForAttempts } from "./scenario-actions.ts";

/** Scenarios of problems and recoveries. */
export const problemScenarios: readonly Scenario[] = [
  scenario("[NO4] a problem and its recovery are notified", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "ok", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
    at(1, submit("db", "ok"));
    expect(between(1, 2), "ann RECOVERY OK db level 0 number 1");
  }),

  scenario(
    "[NO3] soft states are not notified, the hard state is",
    `hosts: "$db": check: max_attempts: 3`,
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("db", "ok", "warning", "warning"));
      expectNone(between(0, 1));
      at(1, submit("db", "critical"));
      expect(between(1, 2), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario("[NO3] a soft problem that recovers is not notified", `hosts: "$db": check: max_attempts: 3`, (timeline) => {
    timeline.at(0, submit("db", "ok", "critical", "critical", "ok"));
    timeline.expectNone(between(0, 2));
  }),

  scenario("[NO3] a first OK result is not notified", `hosts: "$db": {}`, ({ at, expectNone }) => {
    at(0, submit("db", "ok"));
    expectNone(between(0, 2));
  }),

  scenario("[NO4] a first result that is a problem is notified", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "unknown"));
    expect(between(0, 1), "ann PROBLEM UNKNOWN db");
  }),

  scenario("[NO4] another status of a notified problem is a STATUS_CHANGE", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "warning"));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(1, submit("db", "critical"));
    expect(between(1, 2), "ann STATUS_CHANGE CRITICAL db level 0 number 2");
    at(2, submit("db", "ok"));
    expect(between(2, 3), "ann RECOVERY OK db");
  }),

  scenario(
    "[NO10] further results of the same problem are not notified",
    `hosts: "$db": {}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical", "critical", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, submit("db", "critical", "critical"));
      expectNone(between(1, 2));
    },
  ),

  scenario(
    "[NO4] each service of a host is notified of its own",
    `hosts: "$web": services: {http: {}, ssh: {}}`,
    ({ at, expect }) => {
      at(0, submit("web", "ok"), submit("web/http", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web/http");
      at(1, submit("web/ssh", "warning"));
      expect(between(1, 2), "ann PROBLEM WARNING web/ssh");
      at(2, submit("web/http", "ok"));
      expect(between(2, 3), "ann RECOVERY OK web/http");
    },
  ),

  scenario(
    "[NO4] a problem of a business process is notified",
    `
hosts: "$web": {notification: "", services: {one: notification: "", two: notification: ""}}
processes: "$shop": {notification: "$ops", rule: any: [{ref: "$web!one"}, {ref: "$web!two"}]}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("web", "ok"), submit("web/one", "ok"), submit("web/two", "critical"));
      expectNone(between(0, 1));
      at(1, submit("web/one", "critical"));
      expect(between(1, 2), "ann PROBLEM CRITICAL process:shop");
      at(2, submit("web/two", "ok"));
      expect(between(2, 3), "ann RECOVERY OK process:shop");
    },
  ),

  scenario(
    "[NO1] an object without a policy is not notified",
    `hosts: "$db": notification: ""`,
    ({ at, expectNone }) => {
      at(0, submit("db", "critical", "ok"));
      expectNone(between(0, 2));
    },
  ),

  scenario(
    "[FR1, FR2] missing results are a problem, which a result ends",
    `hosts: "$nas": check: {freshness_threshold: "5s", stale_status: "CRITICAL"}
notifications: "$ops": levels: [{contacts: ["$ann"], renotify_interval: "0s"}]`,
    ({ at, expect }) => {
      at(0, submit("nas", "ok"));
      expect(between(5, 8), "ann PROBLEM CRITICAL nas");
      at(8, submit("nas", "ok"));
      expect(between(8, 9), "ann RECOVERY OK nas");
    },
  ),

  scenario(
    "[DL7] after a dropped connection the notification is sent again, and delivered once",
    `hosts: "$db": {}`,
    (timeline) => {
      const { at, expect } = timeline;
      at(0, setWebhookBehaviour("ann", "reset"), submit("db", "critical"), waitForAttempts("ann"));
      at(1, setWebhookBehaviour("ann", "ok"));
      expect(between(1, 4), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DL3, DL7] a recovery is not sent before its problem, which the receiver failed to accept",
    `hosts: "$db": {}`,
    (timeline) => {
      const { at, expect } = timeline;
      at(0, setWebhookBehaviour("ann", 500), submit("db", "critical", "ok"), waitForAttempts("ann"));
      at(1, setWebhookBehaviour("ann", "ok"));
      expect(between(1, 4), "ann PROBLEM CRITICAL db");
      expect(between(1, 4), "ann RECOVERY OK db");
    },
  ),

  scenario(
    "[DL7] a rejected notification is not sent again, and the next one is sent",
    `hosts: "$db": {}`,
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, setWebhookBehaviour("ann", 400), submit("db", "warning"), waitForAttempts("ann"));
      at(1, setWebhookBehaviour("ann", "ok"));
      expectNone(between(1, 3));
      at(3, submit("db", "critical"));
      expect(between(3, 4), "ann STATUS_CHANGE CRITICAL db");
    },
  ),

  scenario(
    "[DL8] a contact whose receiver hangs does not delay others",
    `contacts: "$bea": {}\nnotifications: "$ops": levels: [{contacts: ["$ann", "$bea"]}]\nhosts: {"$db": {}, "$web": {}}`,
    ({ at, expect }) => {
      at(0, setWebhookBehaviour("ann", "hang"), submit("db", "critical"), waitForAttempts("ann"));
      expect(between(0, 1), "bea PROBLEM CRITICAL db");
      at(1, submit("web", "critical"), waitForAttempts("ann", 2));
      expect(between(1, 2), "bea PROBLEM CRITICAL web");
      at(2, submit("db", "ok"));
      expect(between(2, 3), "bea RECOVERY OK db");
      at(3, setWebhookBehaviour("ann", "ok"));
      expect(between(3, 14), "ann PROBLEM CRITICAL db", "ann PROBLEM CRITICAL web");
      expect(between(3, 14), "ann RECOVERY OK db");
    },
  ),
];
