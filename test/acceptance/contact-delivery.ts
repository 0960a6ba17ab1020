import { sendCustom, submit, switchContact, switchObject } from "./scenario-actions.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

const never = `timeperiods: "$never": ranges: "2001-01-01": "00:00-24:00"`;
const two = `contacts: "$bea": {}
hosts: "$db": {}
notifications: "$ops": levels: [{contacts: ["$ann", "$bea"]}]`;
const gathering = (seconds: number, hosts: string): string =>
  `contacts: "$ann": group_wait: "${seconds}s"\nhosts: {${hosts}}`;

/** Switches, calendars, digests and plain words. */
export const contactDeliveryScenarios: readonly Scenario[] = [
  scenario("[NO12] a contact that is off is left out", two, ({ at, expect, expectNone }) => {
    at(0, switchContact("ann", false), submit("db", "critical"));
    expect(between(0, 1), "bea PROBLEM CRITICAL db");
    at(1, switchContact("ann", true));
    expectNone(between(1, 2));
    at(2, submit("db", "ok"));
    expect(between(2, 3), "bea RECOVERY OK db");
  }),

  scenario("[NO9] what reaches nobody stays owed", `hosts: "$db": {}`, ({ at, expect, expectNone }) => {
    at(0, switchContact("ann", false), submit("db", "critical"));
    expectNone(between(0, 2));
    at(2, switchContact("ann", true));
    expect(between(2, 3), "ann PROBLEM CRITICAL db level 0 number 1");
  }),

  scenario(
    "[NO20] an object that is off drops what comes, and tells what holds once it is on",
    `hosts: "$db": {}`,
    (line) => {
      const { at, expect, expectNone } = line;
      at(0, switchObject("db", false), submit("db", "critical", "ok", "warning"), sendCustom("db", "hello?"));
      expectNone(between(0, 2));
      at(2, switchObject("db", true));
      expect(between(2, 3), "ann PROBLEM WARNING db");
    },
  ),

  scenario(
    "[NO20] a recovery that came while the object was off is gone",
    `hosts: "$db": {}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      at(1, switchObject("db", false), submit("db", "ok"), switchObject("db", true));
      expectNone(between(1, 3));
    },
  ),

  scenario(
    "[NO19] a policy whose period is closed tells nobody",
    `${never}\nhosts: "$db": {}\nnotifications: "$ops": period: "$never"`,
    ({ at, expectNone }) => {
      at(0, submit("db", "critical", "warning"), sendCustom("db", "hello?"), submit("db", "ok"));
      expectNone(between(0, 2));
    },
  ),

  scenario(
    "[NO13] a contact that sleeps is left alone, and nobody else is",
    `${never}\n${two}\ncontacts: "$ann": notification_period: "$never"`,
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "bea PROBLEM CRITICAL db");
      at(1, submit("db", "ok"));
      expect(between(1, 2), "bea RECOVERY OK db");
    },
  ),

  scenario("[NO15] words are told of what is well, too", `hosts: "$db": {}`, ({ at, expect }) => {
    at(0, submit("db", "ok"), sendCustom("db", "look at this"));
    expect(between(0, 1), "ann CUSTOM OK db level 0 number 0 by carl: look at this");
  }),

  scenario(
    "[DL4] what comes together is one digest, what is bad first",
    gathering(3, `"$a": {}, "$b": {}, "$c": {}`),
    (line) => {
      const { at, expect, expectNone } = line;
      at(0, submit("c", "ok"), sendCustom("c", "and this"), submit("b", "warning"), submit("a", "critical"));
      expectNone(between(0, 2.9));
      expect(between(2.9, 4), "ann digest: PROBLEM WARNING b, PROBLEM CRITICAL a, CUSTOM OK c");
    },
  ),

  scenario("[DL5] a problem that ends within a window was none", gathering(4, `"$a": {}, "$b": {}`), ({ at, expect }) => {
    at(0, submit("a", "critical"), submit("b", "critical"), submit("a", "ok"));
    expect(between(4, 5), "ann PROBLEM CRITICAL b");
    at(5, submit("b", "ok"));
    expect(between(9, 10), "ann RECOVERY OK b");
  }),

  scenario("[DL6] the next window opens with the next message", gathering(2, `"$a": {}, "$b": {}`), ({ at, expect }) => {
    at(0, submit("a", "critical"));
    expect(between(2, 3), "ann PROBLEM CRITICAL a");
    at(3, submit("b", "critical"), submit("a", "ok"));
    expect(between(5, 6), "ann digest: PROBLEM CRITICAL b, RECOVERY OK a");
  }),

  scenario(
    "[DL4, DL8] who gathers keeps nobody else waiting",
    `${two}\ncontacts: "$ann": group_wait: "3s"`,
    ({ at, expect }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "bea PROBLEM CRITICAL db");
      expect(between(3, 4), "ann PROBLEM CRITICAL db");
    },
  ),
];
