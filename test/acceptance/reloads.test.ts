import { runScenarios } from "./run-scenarios.ts";
import { between, type Scenario, scenario } from "./scenario.ts";
import { submit } from "./scenario-actions.ts";

const calendar = `timeperiods: {
	"$always": ranges: {monday: "00:00-24:00", tuesday: "00:00-24:00", wednesday: "00:00-24:00", thursday: "00:00-24:00", friday: "00:00-24:00", saturday: "00:00-24:00", sunday: "00:00-24:00"}
	"$never": ranges: "2001-01-01": "00:00-24:00"
}`;
const db = `hosts: "$db": {}`;
const inHours = (period: string): string => `${calendar}\n${db}\nnotifications: "$ops": period: "$${period}"`;
const levels = (...contacts: readonly string[]): string => `${db}
contacts: "$bea": {}
notifications: "$ops": levels: [{contacts: [${contacts.map((name) => `"$${name}"`).join(", ")}]}]`;

const recurring = (period: string): string => `${calendar}
hosts: "$db": labels: app: "$db"
downtimes: "$backup": {selector: "app=$db", scope: "host", period: "$${period}", comment: "backups run"}`;

type ReloadScenario = { readonly scenario: Scenario; readonly second: string; readonly third: string };

/** Scenarios whose document is replaced by `second` at 2 s and by `third` at 5 s. */
const reloadScenarios: readonly ReloadScenario[] = [
  {
    scenario: scenario(
      // As in icinga2#10187.
      "[NO19, NO14] a recovery outside the policy period is notified when the period opens",
      inHours("always"),
      ({ at, expect, expectNone }) => {
        at(0, submit("db", "critical"));
        expect(between(0, 1), "ann PROBLEM CRITICAL db");
        at(3, submit("db", "ok"));
        expectNone(between(3, 5));
        expect(between(5, 7), "ann RECOVERY OK db");
      },
    ),
    second: inHours("never"),
    third: inHours("always"),
  },
  {
    scenario: scenario(
      "[NO19] a problem outside the policy period is notified when the period opens, if it still lasts",
      `${inHours("always")}\nhosts: "$web": {}`,
      ({ at, expect, expectNone }) => {
        at(3, submit("db", "critical"), submit("web", "critical", "ok"));
        expectNone(between(0, 5));
        expect(between(5, 7), "ann PROBLEM CRITICAL db");
        expectNone(between(7, 8));
      },
    ),
    second: `${inHours("never")}\nhosts: "$web": {}`,
    third: `${inHours("always")}\nhosts: "$web": {}`,
  },
  {
    scenario: scenario(
      "[NO10, RL1] a reload of the same document notifies nothing",
      db,
      ({ at, expect, expectNone }) => {
        at(0, submit("db", "critical"));
        expect(between(0, 1), "ann PROBLEM CRITICAL db");
        expectNone(between(1, 6));
        at(6, submit("db", "ok"));
        expect(between(6, 7), "ann RECOVERY OK db");
      },
    ),
    second: db,
    third: db,
  },
  {
    scenario: scenario(
      "[NO14] a recovery is sent to the contacts that were notified, though the policy now names others",
      levels("ann"),
      ({ at, expect }) => {
        at(0, submit("db", "warning"));
        expect(between(0, 1), "ann PROBLEM WARNING db");
        at(3, submit("db", "critical"));
        expect(between(3, 4), "bea STATUS_CHANGE CRITICAL db");
        at(6, submit("db", "ok"));
        expect(between(6, 7), "ann RECOVERY OK db", "bea RECOVERY OK db");
      },
    ),
    second: levels("bea"),
    third: levels("bea"),
  },
  {
    scenario: scenario(
      "[NO1] an object that gets a policy by a reload notifies its open problem",
      `hosts: "$db": notification: ""`,
      (timeline) => {
        const { at, expect, expectNone } = timeline;
        at(0, submit("db", "critical"));
        expectNone(between(0, 2));
        expect(between(2, 4), "ann PROBLEM CRITICAL db");
      },
    ),
    second: db,
    third: db,
  },
  {
    scenario: scenario(
      "[DT8, DT9, NO18] a recurring downtime begins and ends with its period",
      recurring("never"),
      ({ at, expect, expectNone }) => {
        at(0, submit("db", "ok"));
        expectNone(between(0, 2));
        expect(between(2, 3), "ann DOWNTIME_START OK db");
        at(3, submit("db", "critical"));
        expectNone(between(3, 5));
        expect(between(5, 7), "ann DOWNTIME_END CRITICAL db", "ann PROBLEM CRITICAL db");
      },
    ),
    second: recurring("always"),
    third: recurring("never"),
  },
  {
    scenario: scenario(
      "[RL7] the contacts that know the problem of a removed object are notified of its end, once",
      `hosts: {"$db": {}, "$web": {}}`,
      (timeline) => {
        const { at, expect, expectNone } = timeline;
        at(0, submit("db", "critical"));
        expect(between(0, 1), "ann PROBLEM CRITICAL db");
        expect(between(2, 4), "ann RECOVERY OK db");
        expectNone(between(4, 7));
      },
    ),
    second: `hosts: "$web": {}`,
    third: `hosts: "$web": {}`,
  },
];

const find = ({ name }: Scenario): ReloadScenario =>
  reloadScenarios.find((each) => each.scenario.name === name) as ReloadScenario;

runScenarios("reloads", {
  scenarios: reloadScenarios.map((each) => each.scenario),
  barriers: [
    { atS: 2, action: ({ reload }) => reload((each) => find(each).second) },
    { atS: 5, action: ({ reload }) => reload((each) => find(each).third) },
  ],
});
