import { referenceField } from "../parser/names.ts";
import { nonZeroDuration } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean } from "../parser/scalars.ts";
import { type Fields, map, struct, type VariantType, variant, withDefault } from "../parser/structs.ts";
import { programVariants } from "./program.ts";

const timeout = withDefault(nonZeroDuration, 30_000, {
  help: "Maximum run time, after which the program is terminated.",
  example: "1m",
});

const withTimeout = <F extends Fields>({ fields, ...kind }: VariantType<F>) => ({
  ...kind,
  fields: { ...fields, timeout },
});

const handler = variant(
  "handler",
  {
    command: withTimeout(programVariants.command),
    legacy: withTimeout({
      ...programVariants.legacy,
      summary: "Runs a program. Its exit code is recorded in history.",
    }),
    wasm: withTimeout({ ...programVariants.wasm, summary: "Runs a WASI module, without access to files and network." }),
  } satisfies Record<keyof typeof programVariants, object>,
  {
    title: "Handler",
    intro:
      "A program that runs when an object changes, for example to restart it or to open a ticket. An object names its handler; `event_handlers` sets handlers for all objects.",
    example: `hosts: web1: {address: "192.0.2.10", handler: "restart", check: {type: "tcp", address: "192.0.2.10:80", flap: {}}}
handlers: restart: {type: "command", command: "restart", args: ["$HOSTNAME$", "$HOSTSTATE$"], timeout: "1m"}
commands: restart: line: "/usr/local/bin/restart $ARG1$ $ARG2$"`,
  },
);

export const eventHandlersParser = struct(
  {
    enabled: withDefault(boolean, true, { help: "Initial state of the switch for all handlers.", example: false }),
    host: referenceField("handlers", "Handler that runs on every change of any host; empty: none.", "note"),
    service: referenceField("handlers", "Handler that runs on every change of any service; empty: none.", "note"),
  },
  {
    title: "Event handlers",
    intro: "Handlers for all hosts and all services, and the switch for all handlers.",
    example: `hosts: {}
handlers: note: {type: "legacy", path: "/usr/local/bin/note"}
event_handlers: {host: "note", service: "note"}`,
  },
);

export const handlersParser = map(handler);
export type HandlerDocument = NonNullable<ParserOutput<typeof handler>>;
