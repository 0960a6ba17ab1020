import { headersField } from "../parser/names.ts";
import { duration, integer } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString, picklist, string, stringMatching } from "../parser/scalars.ts";
import { keyMatching, list, map, required, variant, withDefault } from "../parser/structs.ts";

const common = {
  selector: withDefault(string, "", {
    help: "Whose; empty: everybody's.",
    example: "app=shop",
    constraint: "a selector, without `@status`",
  }),
  batch_size: withDefault(integer({ min: 1 }), 1000, { help: "How many at most in one piece.", example: 500 }),
  flush_interval: withDefault(duration, 5_000, { help: "How long a piece that is not full waits.", example: "10s" }),
};
const either = {
  input: withDefault(picklist(["metrics", "events"]), "metrics", {
    help: "What goes there: measurements, or what happened.",
    example: "events",
  }),
  ...common,
};
const cursor = withDefault(string, "", {
  help: "Name under which the place is kept up to which all has been delivered.",
  example: "backup",
});
const fileBytes = (help: string) => withDefault(integer({ min: 1 }), 67_108_864, { help, example: 1_048_576 });
const url = required(nonEmptyString, { help: "Where to.", example: "http://127.0.0.1:9090/in" });
const headed = headersField({
  help: "Headers of each request; often a credential.",
  example: { Authorization: "Bearer x" },
});

/** A table's name that needs no quoting. */
export const tableNameParser = stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/, "perfdata");

/** Every sink type by its name. Schema, reference and the types that the demo profile refuses follow from this map. */
const sinkKinds = {
  columnar_db: {
    summary: "Rows in a columnar database, over HTTP.",
    fields: {
      url,
      table: withDefault(tableNameParser, "perfdata", { help: "The table.", example: "metrics" }),
      ...either,
    },
  },
  remote_write: {
    summary: "Series for whatever speaks Prometheus' remote write.",
    fields: { url, cursor, ...either },
  },
  archive: {
    summary: "Compressed segments of events in an object store.",
    fields: {
      url,
      segment_bytes: fileBytes("Size at which a segment is closed, bytes."),
      input: withDefault(picklist(["events"]), "events", { help: "Events, nothing else.", example: "events" }),
      ...common,
    },
  },
  http: { summary: "POSTs of JSON.", fields: { url, headers: headed, cursor, ...either } },
  exec: {
    refusedInDemo: true,
    summary: "A program that reads lines of JSON from its standard input.",
    fields: {
      command: required(list(string, { nonEmpty: true }), {
        help: "Program and arguments.",
        example: ["/usr/bin/logger", "-t", "mon"],
      }),
      cursor,
      ...either,
    },
  },
  file: {
    refusedInDemo: true,
    summary: "Lines of JSON in a file.",
    fields: {
      path: required(nonEmptyString, { help: "The file.", example: "/var/log/realmwatch/events.json" }),
      rotate_bytes: fileBytes("Size at which a new file is begun, bytes."),
      cursor,
      ...either,
    },
  },
  otlp: { summary: "OpenTelemetry over HTTP.", fields: { url, headers: headed, cursor, ...either } },
};

const sink = variant("sink", sinkKinds, {
  title: "Sink",
  intro: "Where measurements or events are copied to, for other systems to keep and to draw.",
  example: `hosts: {}
sinks: {
	metrics: {type: "remote_write", url: "http://127.0.0.1:9090/api/v1/write", selector: "@kind=service"}
	audit: {type: "file", path: "/var/log/realmwatch/events.json", input: "events"}
}`,
});

export const sinksParser = map(sink, keyMatching(/^[a-z][a-z0-9_-]*$/));
export type SinkDocument = NonNullable<ParserOutput<typeof sink>>;

/** Sink types that run programs or write files, which the demo profile refuses. */
export const demoRefusedSinkTypes: readonly string[] = Object.entries(sinkKinds).flatMap(([type, kind]) =>
  "refusedInDemo" in kind ? [type] : [],
);
