import { setWebhookBehaviour, submit, waitForAttempts } from "./scenario-actions.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

/** What is wrong with an object, and that it is over. */
export const problemScenarios: readonly Scenario[] = [
  scenario("[NO4] a problem is told, and its end", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "ok", "critical"));
    expect(between(0, 1), "ann PROBLEM CRITICAL db level 0 number 1");
    at(1, submit("db", "ok"));
    expect(between(1, 2), "ann RECOVERY OK db level 0 number 1");
  }),

  scenario(
    "[NO3] nobody is told of an attempt, everybody of the last one",
    `hosts: "$db": check: max_attempts: 3`,
    (line) => {
      const { at, expect, expectNone } = line;
      at(0, submit("db", "ok", "warning", "warning"));
      expectNone(between(0, 1));
      at(1, submit("db", "critical"));
      expect(between(1, 2), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario("[NO3] a problem that no attempt confirmed was none", `hosts: "$db": check: max_attempts: 3`, (line) => {
    line.at(0, submit("db", "ok", "critical", "critical", "ok"));
    line.expectNone(between(0, 2));
  }),

  scenario("[NO3] a first good result is no news", `hosts: "$db": {}`, ({ at, expectNone }) => {
    at(0, submit("db", "ok"));
    expectNone(between(0, 2));
  }),

  scenario("[NO4] a first bad result is news", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "unknown"));
    expect(between(0, 1), "ann PROBLEM UNKNOWN db");
  }),

  scenario("[NO4] another status of a problem is told as a change", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "warning"));
    expect(between(0, 1), "ann PROBLEM WARNING db");
    at(1, submit("db", "critical"));
    expect(between(1, 2), "ann STATUS_CHANGE CRITICAL db level 0 number 2");
    at(2, submit("db", "ok"));
    expect(between(2, 3), "ann RECOVERY OK db");
  }),

  scenario(
    "[NO2] a problem that is seen again and again is told once",
    `hosts: "$db": {}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical", "critical", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, submit("db", "critical", "critical"));
      expectNone(between(1, 2));
    },
  ),

  scenario(
    "[NO4] services of a host are told apart, each in its order",
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
    "[NO4] a business process is told of like anything else",
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

  scenario("[NO1] where no policy is named nobody is told", `hosts: "$db": notification: ""`, ({ at, expectNone }) => {
    at(0, submit("db", "critical", "ok"));
    expectNone(between(0, 2));
  }),

  scenario(
    "[FR1, FR2] silence is a problem, and a result ends it",
    `hosts: "$nas": check: {freshness_threshold: "2s", stale_status: "CRITICAL"}
notifications: "$ops": levels: [{contacts: ["$ann"], renotify_interval: "0s"}]`,
    ({ at, expect }) => {
      at(0, submit("nas", "ok"));
      expect(between(2, 4), "ann PROBLEM CRITICAL nas");
      at(4, submit("nas", "ok"));
      expect(between(4, 5), "ann RECOVERY OK nas");
    },
  ),

  scenario(
    "[DL7] a connection that is dropped is tried again, and the message comes once",
    `hosts: "$db": {}`,
    (line) => {
      const { at, expect } = line;
      at(0, setWebhookBehaviour("ann", "reset"), submit("db", "critical"), waitForAttempts("ann"));
      at(1, setWebhookBehaviour("ann", "ok"));
      expect(between(1, 4), "ann PROBLEM CRITICAL db");
    },
  ),

  scenario(
    "[DL3, DL7] a recovery waits for its problem, which a failing receiver did not take",
    `hosts: "$db": {}`,
    (line) => {
      const { at, expect } = line;
      at(0, setWebhookBehaviour("ann", 500), submit("db", "critical", "ok"), waitForAttempts("ann"));
      at(1, setWebhookBehaviour("ann", "ok"));
      expect(between(1, 4), "ann PROBLEM CRITICAL db");
      expect(between(1, 4), "ann RECOVERY OK db");
    },
  ),

  scenario("[DL7] a refusal is not tried again, and the next message goes its way", `hosts: "$db": {}`, (line) => {
    const { at, expect, expectNone } = line;
    at(0, setWebhookBehaviour("ann", 400), submit("db", "warning"), waitForAttempts("ann"));
    at(1, setWebhookBehaviour("ann", "ok"));
    expectNone(between(1, 3));
    at(3, submit("db", "critical"));
    expect(between(3, 4), "ann STATUS_CHANGE CRITICAL db");
  }),

  scenario(
    "[DL8] a contact that hangs keeps nobody else waiting",
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
