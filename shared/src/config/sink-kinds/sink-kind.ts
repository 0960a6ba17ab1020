import { isWebUrl } from "../../text/web-url.ts";
import { headersField } from "../parser/names.ts";
import { duration, integer } from "../parser/numbers.ts";
import { nonEmptyString, picklist, string, stringMatching } from "../parser/scalars.ts";
import { plannedTypes, required, withDefault } from "../parser/structs.ts";

const batchFields = {
  selector: withDefault(string, "", {
    help: "Selector of the objects whose data is copied; empty: all objects.",
    example: "app=shop",
    constraint: "a selector, without `@status`",
  }),
  batch_size: withDefault(integer({ min: 1 }), 1000, { help: "Maximum number of entries in a batch.", example: 500 }),
  flush_interval: withDefault(duration, 5_000, {
    help: "Maximum time that a batch waits before it is sent although it is not full.",
    example: "10s",
  }),
};

const commonFields = {
  input: withDefault(picklist(["metrics", "events"]), "metrics", {
    help: "Data to copy: performance data (`metrics`) or state changes and notifications (`events`).",
    example: "events",
  }),
  ...batchFields,
};

const eventFields = {
  input: withDefault(picklist(["events"]), "events", { help: "Always events.", example: "events" }),
  ...batchFields,
};

export type SinkUrls = {
  /** Reason why a URL cannot work, as the end of a sentence; empty when it can. */
  readonly problemOf: (url: string) => string;
  /** True for a URL of the agent's machine, which the demo profile refuses. */
  readonly isLocal: (url: string) => boolean;
};

export const webUrls: SinkUrls = {
  problemOf: (url) => (isWebUrl(url) ? "" : "is not an http or https URL: nothing is delivered"),
  isLocal: () => false,
};

/** `urls`: those that the sink takes. Default: those of web servers. */
type WithUrls = { readonly urls?: SinkUrls };

/** Declares a sink for metrics or events. */
export const sinkKind = plannedTypes<typeof commonFields, WithUrls>(commonFields);
/** Declares a sink for events only. */
export const eventSinkKind = plannedTypes<typeof eventFields, WithUrls>(eventFields);

export const sinkUrlField = required(nonEmptyString, {
  help: "URL to which data is sent.",
  example: "http://127.0.0.1:9090/in",
  secret: true,
});

export const sinkHeadersField = headersField({
  help: "HTTP headers of each request, often a credential.",
  example: { Authorization: "Bearer x" },
});

export const cursorField = withDefault(string, "", {
  help: "Name under which the position of the last delivered entry is stored.",
  example: "backup",
});

/** Field for a size at which a file is closed, bytes. */
export const fileSizeField = (help: string) =>
  withDefault(integer({ min: 1 }), 67_108_864, { help, example: 1_048_576 });

/** Field for a table name that needs no quoting. */
export const tableField = withDefault(stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/, "perfdata"), "perfdata", {
  help: "Name of the table.",
  example: "metrics",
});
