import { submit } from "./scenario-actions.ts";
import { runScenarios } from "./run-scenarios.ts";
import { between, type Scenario, scenario } from "./scenario.ts";

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

type Changing = { readonly played: Scenario; readonly next: string; readonly atLast: string };

/** The document becomes another one at 2 s, and another one at 5 s. */
const changing: readonly Changing[] = [
  {
    played: scenario(
      "[NO19, I5] icinga2#10187: a problem ends outside the hours: that is told when they begin",
      inHours("always"),
      ({ at, expect, expectNone }) => {
        at(0, submit("db", "critical"));
        expect(between(0, 1), "ann PROBLEM CRITICAL db");
        at(3, submit("db", "ok"));
        expectNone(between(3, 5));
        expect(between(5, 7), "ann RECOVERY OK db");
      },
    ),
    next: inHours("never"),
    atLast: inHours("always"),
  },
  {
    played: scenario(
      "[NO19] a problem that began outside the hours is told when they begin, one that is over is not",
      `${inHours("always")}\nhosts: "$web": {}`,
      ({ at, expect, expectNone }) => {
        at(3, submit("db", "critical"), submit("web", "critical", "ok"));
        expectNone(between(0, 5));
        expect(between(5, 7), "ann PROBLEM CRITICAL db");
        expectNone(between(7, 8));
      },
    ),
    next: `${inHours("never")}\nhosts: "$web": {}`,
    atLast: `${inHours("always")}\nhosts: "$web": {}`,
  },
  {
    played: scenario("[NO10, RL1] a document that is read again is no news", db, ({ at, expect, expectNone }) => {
      at(0, submit("db", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL db");
      expectNone(between(1, 6));
      at(6, submit("db", "ok"));
      expect(between(6, 7), "ann RECOVERY OK db");
    }),
    next: db,
    atLast: db,
  },
  {
    played: scenario(
      "[NO14] whoever was told hears of the end, though the policy names others by now",
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
    next: levels("bea"),
    atLast: levels("bea"),
  },
  {
    played: scenario(
      "[NO1] an object that has a policy now tells what holds",
      `hosts: "$db": notification: ""`,
      (line) => {
        const { at, expect, expectNone } = line;
        at(0, submit("db", "critical"));
        expectNone(between(0, 2));
        expect(between(2, 4), "ann PROBLEM CRITICAL db");
      },
    ),
    next: db,
    atLast: db,
  },
  {
    played: scenario(
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
    next: recurring("always"),
    atLast: recurring("never"),
  },
  {
    played: scenario(
      "[RL7] of an object that is gone whoever knew is told the end, and then nothing",
      `hosts: {"$db": {}, "$web": {}}`,
      (line) => {
        const { at, expect, expectNone } = line;
        at(0, submit("db", "critical"));
        expect(between(0, 1), "ann PROBLEM CRITICAL db");
        expect(between(2, 4), "ann RECOVERY OK db");
        expectNone(between(4, 7));
      },
    ),
    next: `hosts: "$web": {}`,
    atLast: `hosts: "$web": {}`,
  },
];

const find = ({ name }: Scenario): Changing => changing.find(({ played }) => played.name === name) as Changing;

runScenarios("reloads", {
  scenarios: changing.map(({ played }) => played),
  breaks: [
    { atS: 2, act: ({ reload }) => reload((played) => find(played).next) },
    { atS: 5, act: ({ reload }) => reload((played) => find(played).atLast) },
  ],
});
