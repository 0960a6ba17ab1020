import { between, type Scenario, scenario } from "./scenario.ts";
import { sendCustom, submit, switchContact, switchObject } from "./scenario-actions.ts";

const never = `timeperiods: "$never": ranges: "2001-01-01": "00:00-24:00"`;
const two = `contacts: "$bea": {}
hosts: "$db": {}
notifications: "$ops": levels: [{contacts: ["$ann", "$bea"]}]`;
const withGroupWait = (seconds: number, hosts: string): string =>
  `contacts: "$ann": group_wait: "${seconds}s"\nhosts: {${hosts}}`;

/** Scenarios of contacts: toggles, periods, digests and custom notifications. */
export const contactDeliveryScenarios: readonly Scenario[] = [
  scenario("[NO12] a contact with notifications disabled is left out", two, ({ at, expect, expectNone }) => {
    at(0, switchContact("ann", false), submit("db", "critical"));
    expect(between(0, 1), "bea PROBLEM CRITICAL db");
    at(1, switchContact("ann", true));
    expectNone(between(1, 2));
    at(2, submit("db", "ok"));
    expect(between(2, 3), "bea RECOVERY OK db");
  }),

  scenario(
    "[NO9] a notification that reaches no contact stays pending",
    `hosts: "$db": {}`,
    ({ at, expect, expectNone }) => {
      at(0, switchContact("ann", false), submit("db", "critical"));
      expectNone(between(0, 2));
      at(2, switchContact("ann", true));
      expect(between(2, 3), "ann PROBLEM CRITICAL db level 0 number 1");
    },
  ),

  scenario(
    "[NO20] an object with notifications disabled drops them; enabled, its open problem is notified",
    `hosts: "$db": {}`,
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, switchObject("db", false), submit("db", "critical", "ok", "warning"), sendCustom("db", "hello?"));
      expectNone(between(0, 2));
      at(2, switchObject("db", true));
      expect(between(2, 3), "ann PROBLEM WARNING db");
    },
  ),

  scenario(
    "[NO20] a recovery while notifications of the object are disabled is not notified later",
    `hosts: "$db": {}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, switchObject("db", false), submit("db", "ok"), switchObject("db", true));
      expectNone(between(1, 3));
    },
  ),

  scenario(
    "[NO19] a policy outside its period sends nothing",
    `${never}\nhosts: "$db": {}\nnotifications: "$ops": period: "$never"`,
    ({ at, expectNone }) => {
      at(0, submit("db", "critical", "warning"), sendCustom("db", "hello?"), submit("db", "ok"));
      expectNone(between(0, 2));
    },
  ),

  scenario(
    "[NO13] outside its own period a contact is not notified, others are",
    `${never}\n${two}\ncontacts: "$ann": notification_period: "$never"`,
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "bea PROBLEM CRITICAL db");
      at(1, submit("db", "ok"));
      expect(between(1, 2), "bea RECOVERY OK db");
    },
  ),

  scenario(
    "[NO15] a custom notification is sent for an object that is OK, too",
    `hosts: "$db": {}`,
    ({ at, expect }) => {
      at(0, submit("db", "ok"), sendCustom("db", "look at this"));
      expect(between(0, 1), "ann CUSTOM OK db level 0 number 0 by carl: look at this");
    },
  ),

  scenario(
    "[DL4] notifications of one window are one digest, problems first",
    withGroupWait(3, `"$a": {}, "$b": {}, "$c": {}`),
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("c", "ok"), sendCustom("c", "and this"), submit("b", "warning"), submit("a", "critical"));
      expectNone(between(0, 2.9));
      expect(between(2.9, 4), "ann digest: PROBLEM WARNING b, PROBLEM CRITICAL a, CUSTOM OK c");
    },
  ),

  scenario(
    "[DL5] a problem that begins and ends within a window is cancelled",
    withGroupWait(4, `"$a": {}, "$b": {}`),
    ({ at, expect }) => {
      at(0, submit("a", "critical"), submit("b", "critical"), submit("a", "ok"));
      expect(between(4, 5), "ann PROBLEM CRITICAL b");
      at(5, submit("b", "ok"));
      expect(between(9, 10), "ann RECOVERY OK b");
    },
  ),

  scenario(
    "[DL6] the next window opens with the next notification",
    withGroupWait(2, `"$a": {}, "$b": {}`),
    ({ at, expect }) => {
      at(0, submit("a", "critical"));
      expect(between(2, 3), "ann PROBLEM CRITICAL a");
      at(3, submit("b", "critical"), submit("a", "ok"));
      expect(between(5, 6), "ann digest: PROBLEM CRITICAL b, RECOVERY OK a");
    },
  ),

  scenario(
    "[DL4, DL8] the window of one contact does not delay others",
    `${two}\ncontacts: "$ann": group_wait: "3s"`,
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "bea PROBLEM CRITICAL db");
      expect(between(3, 4), "ann PROBLEM CRITICAL db");
    },
  ),
];
