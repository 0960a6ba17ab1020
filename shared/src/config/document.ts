import { statuses } from "../words/status.ts";
import { programs } from "./check-document.ts";
import { contacts, notifications } from "./contact-document.ts";
import { hosts, processes } from "./host-document.ts";
import { number, span } from "./numbers.ts";
import { headers, resources } from "./object-names.ts";
import { rule } from "./rule-document.ts";
import { filled, flag, list, map, optional, type Read, required, struct, text, variant, word } from "./shape.ts";
import { sinks, tableName } from "./sink-document.ts";

const command = struct({ line: required(filled), shell: optional(flag, false) });
const view = struct({ selector: required(filled), description: optional(text, "") });
const timeperiod = struct({
  timezone: optional(text, ""),
  ranges: required(map(text)),
  exclude: optional(list(text), []),
});
const downtime = struct({
  selector: required(filled),
  scope: required(word(["host", "service"])),
  period: required(filled),
  comment: optional(text, ""),
});
const slo = struct({
  selector: required(filled),
  target: required(number({ above: 0, max: 100 })),
  period: optional(text, ""),
  exclude_downtimes: optional(flag, true),
  down_statuses: optional(list(word(["WARNING", "CRITICAL", "UNKNOWN"])), []),
});
const pick = struct({
  ref: optional<string | undefined, undefined>(filled, undefined),
  select: optional<string | undefined, undefined>(filled, undefined),
});
const dependency = struct({
  dependents: required(list(pick, { filled: true })),
  on: required(rule),
  fails_on: required(list(word(statuses), { filled: true })),
  suppress: optional(word(["all", "problems"]), "all"),
  states: optional(word(["hard", "soft"]), "hard"),
  inherits: optional(flag, false),
  period: optional(text, ""),
});
const timeout = optional(span, 30_000);
const handler = variant("handler", {
  command: { ...programs.command, timeout },
  legacy: { ...programs.legacy, timeout },
  wasm: { ...programs.wasm, timeout },
});
const eventHandlers = struct({ enabled: optional(flag, true), host: optional(text, ""), service: optional(text, "") });

const anyDatasource = { headers, default: optional(flag, false) };
const datasource = variant("datasource", {
  prometheus: { url: required(filled), ...anyDatasource },
  columnar_db: { url: required(filled), table: optional(tableName, "perfdata"), ...anyDatasource },
  local: { url: optional(text, ""), ...anyDatasource },
});
const panel = struct({
  title: optional(text, ""),
  datasource: optional(text, ""),
  query: required(filled),
  unit: optional(text, ""),
  selector: optional(text, ""),
});
const availability = struct({ range: optional(span, 2_592_000_000) });
const ui = struct({
  availability: optional<Read<typeof availability> | undefined, undefined>(availability, undefined),
  panels: optional(map(panel), new Map()),
});

/** The configuration document, evaluated: a closed struct with every default filled in and spans in ms. */
export const document = struct({
  hosts,
  processes,
  resources,
  commands: optional(map(command), new Map()),
  contacts,
  notifications,
  views: optional(map(view), new Map()),
  sinks,
  timezone: optional(filled, "Local"),
  timeperiods: optional(map(timeperiod), new Map()),
  downtimes: optional(map(downtime), new Map()),
  slos: optional(map(slo), new Map()),
  dependencies: optional(map(dependency), new Map()),
  handlers: optional(map(handler), new Map()),
  event_handlers: optional(eventHandlers, { enabled: true, host: "", service: "" }),
  datasources: optional(map(datasource), new Map()),
  ui: optional(ui, { availability: undefined, panels: new Map() }),
});
export type RealmDocument = Read<typeof document>;
export type DependencyDocument = Read<typeof dependency>;
