import { headersField } from "../parser/names.ts";
import { nonZeroDuration, number } from "../parser/numbers.ts";
import { boolean, nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { list, map, optional, required, struct, variant, withDefault } from "../parser/structs.ts";
import { tableNameParser } from "./sink.ts";

const view = struct(
  {
    selector: required(nonEmptyString, {
      help: "What it shows.",
      example: "app=shop,@status=critical",
      constraint: "a selector; `@status` is allowed",
    }),
    description: withDefault(string, "", { help: "Free text.", example: "What is broken in the shop." }),
  },
  {
    title: "View",
    intro: "A selection with a name, for the dashboard. The key is its name and may be any text.",
    example: `hosts: {}
views: "Shop, broken": {selector: "app=shop,@status in (critical,unknown)", description: "What is broken in the shop."}`,
  },
);

const slo = struct(
  {
    selector: required(nonEmptyString, {
      help: "Of which objects.",
      example: "app=shop",
      constraint: "a selector, without `@status`",
    }),
    target: required(number({ above: 0, max: 100 }), {
      help: "Share of the time that has to be good, percent.",
      example: 99.9,
    }),
    period: withDefault(string, "", {
      help: "Which hours count; empty: all.",
      example: "office-hours",
      constraint: "a key of `timeperiods`",
    }),
    exclude_downtimes: withDefault(boolean, true, { help: "Whether time in downtime is left out.", example: false }),
    down_statuses: withDefault(list(picklist(["WARNING", "CRITICAL", "UNKNOWN"])), [], {
      help: "What is not good; empty: every problem.",
      example: ["CRITICAL"],
    }),
  },
  {
    title: "SLO",
    intro: "A target of availability. The key is its name and may be any text. `ui.availability` must be declared.",
    example: `hosts: {}
slos: "Shop in the day": {selector: "app=shop", target: 99.9, period: "office-hours", down_statuses: ["CRITICAL"]}
timeperiods: "office-hours": ranges: monday: "09:00-17:00"
ui: availability: range: "720h"`,
  },
);

const anyDatasource = {
  headers: headersField({
    help: "Headers of each request; often a credential.",
    example: { Authorization: "Bearer x" },
  }),
  default: withDefault(boolean, false, {
    help: "Whether panels and metrics that name none are read here.",
    example: true,
    constraint: "true in one at most",
  }),
};
const url = required(nonEmptyString, { help: "Its base URL.", example: "http://127.0.0.1:9090" });
const datasource = variant(
  "datasource",
  {
    prometheus: { summary: "Whatever speaks the query API of Prometheus.", fields: { url, ...anyDatasource } },
    columnar_db: {
      summary: "A columnar database that a sink of this type fills.",
      fields: {
        url,
        table: withDefault(tableNameParser, "perfdata", { help: "The table.", example: "metrics" }),
        ...anyDatasource,
      },
    },
    local: {
      summary: "The agent's own recent measurements: metrics of objects, not panels.",
      fields: { url: withDefault(string, "", { help: "Not used.", example: "" }), ...anyDatasource },
    },
  },
  {
    title: "Datasource",
    intro: "Where the dashboard's panels and the metrics of objects are read from.",
    example: `hosts: {}
datasources: prom: {type: "prometheus", url: "http://127.0.0.1:9090", default: true}`,
  },
);

const panel = struct(
  {
    title: withDefault(string, "", { help: "Heading; empty: the panel's name.", example: "Orders a minute" }),
    datasource: withDefault(string, "", {
      help: "Where to ask; empty: the default one.",
      example: "prom",
      constraint: "sensibly a key of `datasources`, of one that is not `local`",
    }),
    query: required(nonEmptyString, {
      help: "What to ask, in the datasource's language.",
      example: "rate(orders_total[5m]) * 60",
    }),
    unit: withDefault(string, "", { help: "Unit of the values.", example: "1/min" }),
    selector: withDefault(string, "", {
      help: "On whose pages it is shown; empty: on none.",
      example: "app=shop",
      constraint: "a selector; `@status` is allowed",
    }),
  },
  {
    title: "Panel",
    intro: "A chart on the pages of some objects.",
    example: `hosts: {}
datasources: prom: {type: "prometheus", url: "http://127.0.0.1:9090"}
ui: panels: orders: {title: "Orders a minute", datasource: "prom", query: "rate(orders_total[5m]) * 60", selector: "app=shop"}`,
  },
);
const availability = struct(
  { range: withDefault(nonZeroDuration, 2_592_000_000, { help: "How far back reports look.", example: "168h" }) },
  { title: "Availability", intro: "Turns availability reports on." },
);

export const uiParser = struct(
  {
    availability: optional(availability, { help: "Turns availability reports on." }),
    panels: withDefault(map(panel), new Map(), { help: "Charts." }),
  },
  { title: "UI", intro: "What the dashboard shows beside objects." },
);
export const viewsParser = map(view);
export const slosParser = map(slo);
export const datasourcesParser = map(datasource);
