import { string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";

const timeperiod = struct(
  {
    timezone: withDefault(string, "", {
      help: "Time zone; empty: the document's `timezone`.",
      example: "Asia/Tokyo",
      constraint: "an IANA name or `Local`",
    }),
    ranges: required(map(string), {
      help: "Open hours by day. Empty: the period is never open.",
      example: { monday: "09:00-12:30,13:30-17:00", "2026-12-25": "00:00-00:00" },
      constraint: "keys are date expressions, values lists of `HH:MM-HH:MM`; `00:00-00:00` closes the day",
    }),
    exclude: withDefault(list(string), [], {
      help: "Timeperiods during which this one is closed.",
      example: ["holidays"],
      constraint: "each a key of `timeperiods`; no cycles",
    }),
  },
  {
    title: "Timeperiod",
    intro: `Hours by the wall clock of a time zone. A date expression is a weekday (\`monday\`), a date (\`2026-12-25\`), a day of a
month (\`december 24\`) or of every month (\`day 1\`, \`day -1\`: the last), a weekday of a month (\`monday 1 may\`) or of every
month (\`friday -1\`), or a range of two of these, optionally with a step: \`day 1 - 15 / 3\`. On a day that several
expressions match, only the most specific one applies: a date takes precedence over a weekday. Hours do not cross
midnight: use two days.`,
    example: `hosts: {}
timezone: "Europe/Berlin"
timeperiods: {
	"office-hours": {
		ranges: {monday: "09:00-17:00", tuesday: "09:00-17:00", "friday -1": "09:00-12:00"}
		exclude: ["holidays"]
	}
	holidays: ranges: {"december 24 - december 26": "00:00-24:00", "january 1": "00:00-24:00"}
}`,
  },
);

export const timeperiodsParser = map(timeperiod);
