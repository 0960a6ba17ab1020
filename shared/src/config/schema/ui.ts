import { nonZeroDuration } from "../parser/numbers.ts";
import { nonEmptyString, string } from "../parser/scalars.ts";
import { map, optional, required, struct, withDefault } from "../parser/structs.ts";

const panel = struct(
  {
    title: withDefault(string, "", { help: "Heading; empty: the panel's name.", example: "Orders a minute" }),
    datasource: withDefault(string, "", {
      help: "Datasource of the query; empty: the default datasource.",
      example: "prom",
      constraint: "should be a key of `datasources` that is not of type `local`",
    }),
    query: required(nonEmptyString, {
      help: "Query in the datasource's language.",
      example: "rate(orders_total[5m]) * 60",
    }),
    unit: withDefault(string, "", { help: "Unit of the values.", example: "1/min" }),
    selector: withDefault(string, "", {
      help: "Selector of the objects whose pages show the panel; empty: none.",
      example: "app=shop",
      constraint: "a selector; `@status` is allowed",
    }),
  },
  {
    title: "Panel",
    intro: "A chart on the pages of the selected objects.",
    example: `hosts: {}
datasources: prom: {type: "prometheus", url: "http://127.0.0.1:9090"}
ui: panels: orders: {title: "Orders a minute", datasource: "prom", query: "rate(orders_total[5m]) * 60", selector: "app=shop"}`,
  },
);

const availability = struct(
  { range: withDefault(nonZeroDuration, 2_592_000_000, { help: "Time span of a report.", example: "168h" }) },
  { title: "Availability", intro: "Enables availability reports." },
);

export const uiParser = struct(
  {
    availability: optional(availability, { help: "Enables availability reports." }),
    panels: withDefault(map(panel), new Map(), { help: "Charts." }),
  },
  { title: "UI", intro: "Further content of the dashboard." },
);
