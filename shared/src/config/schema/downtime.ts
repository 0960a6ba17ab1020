import { nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { map, required, struct, withDefault } from "../parser/structs.ts";

const downtime = struct(
  {
    selector: required(nonEmptyString, {
      help: "Selector of the objects.",
      example: "app=backup",
      constraint: "a selector without `@status` that matches at least one object of `scope`",
    }),
    scope: required(picklist(["host", "service"]), { help: "Kind of the objects.", example: "service" }),
    period: required(nonEmptyString, {
      help: "Period in which the objects are in downtime.",
      example: "night",
      constraint: "a key of `timeperiods`",
    }),
    comment: withDefault(string, "", { help: "Free text.", example: "Backups run." }),
  },
  {
    title: "Downtime",
    intro: "A recurring downtime: all matching objects are in downtime while the timeperiod is open.",
    example: `hosts: nas: {address: "192.0.2.30", labels: app: "backup", check: {type: "icmp", host: "192.0.2.30", flap: {}}}
downtimes: backup: {selector: "app=backup", scope: "host", period: "night", comment: "Backups run."}
timeperiods: night: ranges: {for day in ["monday", "tuesday", "wednesday"] {"\\(day)": "01:00-04:00"}}`,
  },
);

export const downtimesParser = map(downtime);
