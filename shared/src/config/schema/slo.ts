import { periodField, referenceField } from "../parser/names.ts";
import { number } from "../parser/numbers.ts";
import { boolean, nonEmptyString, picklist } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";

const slo = struct(
  {
    selector: required(nonEmptyString, {
      help: "Selector of the objects.",
      example: "app=shop",
      constraint: "a selector, without `@status`",
    }),
    target: required(number({ above: 0, max: 100 }), {
      help: "Required availability, percent of the time.",
      example: 99.9,
    }),
    period: periodField("Period in which availability is measured; empty: always."),
    exclude_downtimes: withDefault(boolean, true, { help: "Excludes time in downtime.", example: false }),
    down_statuses: withDefault(list(picklist(["WARNING", "CRITICAL", "UNKNOWN"])), [], {
      help: "Statuses that count as unavailable; empty: every problem.",
      example: ["CRITICAL"],
    }),
    notification: referenceField(
      "notifications",
      "Notification policy for a fast use of the error budget; empty: no notifications. The objective is then shown as process `slo:NAME`.",
      "ops",
    ),
  },
  {
    title: "SLO",
    intro:
      "A service level objective: a target for availability. The key is its name and may be any text. Requires `ui.availability`. See [service levels](service-levels.md).",
    example: `hosts: {}
slos: "Shop in the day": {selector: "app=shop", target: 99.9, period: "office-hours", down_statuses: ["CRITICAL"]}
timeperiods: "office-hours": ranges: monday: "09:00-17:00"
ui: availability: range: "720h"`,
  },
);

export const slosParser = map(slo);
