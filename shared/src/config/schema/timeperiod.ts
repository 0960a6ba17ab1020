import { nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";

const timeperiod = struct(
  {
    timezone: withDefault(string, "", {
      help: "Its zone; empty: the document's.",
      example: "Asia/Tokyo",
      constraint: "an IANA name or `Local`",
    }),
    ranges: required(map(string), {
      help: "When it is open: from days to hours. May be empty: never.",
      example: { monday: "09:00-12:30,13:30-17:00", "2026-12-25": "00:00-00:00" },
      constraint: "keys are date expressions, values lists of `HH:MM-HH:MM`; `00:00-00:00` closes the day",
    }),
    exclude: withDefault(list(string), [], {
      help: "Timeperiods that are carved out of it.",
      example: ["holidays"],
      constraint: "each a key of `timeperiods`; no cycles",
    }),
  },
  {
    title: "Timeperiod",
    intro: `Hours by the wall clock of a zone. A day is named by a weekday (\`monday\`), a date (\`2026-12-25\`), a day of a month
(\`december 24\`) or of every month (\`day 1\`, \`day -1\`: the last), a weekday of a month (\`monday 1 may\`) or of every month
(\`friday -1\`), or a range of one of these, with a step: \`day 1 - 15 / 3\`. The more precise expression has the whole day:
a date outranks a weekday. Hours do not run over midnight: write two days.`,
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

const downtime = struct(
  {
    selector: required(nonEmptyString, {
      help: "Which objects.",
      example: "app=backup",
      constraint: "a selector without `@status` that matches something of `scope`",
    }),
    scope: required(picklist(["host", "service"]), { help: "Which kind of them.", example: "service" }),
    period: required(nonEmptyString, { help: "When.", example: "night", constraint: "a key of `timeperiods`" }),
    comment: withDefault(string, "", { help: "Free text.", example: "Backups run." }),
  },
  {
    title: "Downtime",
    intro: "A downtime that comes again: whatever matches is in downtime whenever the timeperiod is open.",
    example: `hosts: nas: {address: "192.0.2.30", labels: app: "backup", check: {type: "icmp", host: "192.0.2.30", flap: {}}}
downtimes: backup: {selector: "app=backup", scope: "host", period: "night", comment: "Backups run."}
timeperiods: night: ranges: {for day in ["monday", "tuesday", "wednesday"] {"\\(day)": "01:00-04:00"}}`,
  },
);

export const timeperiodsParser = map(timeperiod);
export const downtimesParser = map(downtime);
