import { duration, integer } from "./numbers.ts";
import { headers } from "./object-names.ts";
import {
  filled,
  keyLike,
  list,
  map,
  optional,
  type Read,
  type Reader,
  refine,
  required,
  text,
  variant,
  word,
} from "./shape.ts";

const common = {
  selector: optional(text, ""),
  batch_size: optional(integer({ min: 1 }), 1000),
  flush_interval: optional(duration, 5_000),
};
const either = { input: optional(word(["metrics", "events"]), "metrics"), ...common };
const cursor = optional(text, "");
const fileBytes = optional(integer({ min: 1 }), 67_108_864);

/** A table's name that needs no quoting. */
export const tableName: Reader<string> = refine(
  text,
  (value, complainAbout) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) ? value : complainAbout("must match ^[A-Za-z_][A-Za-z0-9_]*$"),
  "perfdata",
);

const sink = variant("sink", {
  columnar_db: { url: required(filled), table: optional(tableName, "perfdata"), ...either },
  remote_write: { url: required(filled), cursor, ...either },
  archive: { url: required(filled), segment_bytes: fileBytes, input: optional(word(["events"]), "events"), ...common },
  http: { url: required(filled), headers, cursor, ...either },
  exec: { command: required(list(text, { filled: true })), cursor, ...either },
  file: { path: required(filled), rotate_bytes: fileBytes, cursor, ...either },
  otlp: { url: required(filled), headers, cursor, ...either },
});

export const sinks = optional(map(sink, keyLike(/^[a-z][a-z0-9_-]*$/)), new Map());
export type SinkDocument = NonNullable<Read<typeof sink>>;
