import { nonZeroDuration } from "../parser/numbers.ts";
import { boolean, nonEmptyString, string } from "../parser/scalars.ts";
import { type Fields, map, required, struct, variant, withDefault } from "../parser/structs.ts";
import { programVariants } from "./program.ts";

const command = struct(
  {
    line: required(nonEmptyString, {
      help: "The line, with macros such as `$HOSTADDRESS$`, `$ARG1$`, `$USER1$`, `$_HOSTPORT$`; `$$` is a dollar.",
      example: "$USER1$/check_ping -H $HOSTADDRESS$ -p $ARG1$",
      constraint: "only macros that exist; without `shell` its quotes must match",
    }),
    shell: withDefault(boolean, false, {
      help: "Hand the whole line to `/bin/sh -c`. Without it the line is split into words first and macros cannot add any.",
      example: true,
    }),
  },
  {
    title: "Command",
    intro:
      "A command line that checks, contacts and handlers of type `command` name. Its exit code is read as a plugin's.",
    example: `hosts: web1: {
	address: "192.0.2.10"
	vars: PORT: "8080"
	check: {type: "command", command: "tcp", args: ["5"], flap: {}}
}
commands: tcp: line: "$USER1$/check_tcp -H $HOSTADDRESS$ -p $_HOSTPORT$ -t $ARG1$"
resources: USER1: "/usr/lib/nagios/plugins"`,
  },
);

const timeout = withDefault(nonZeroDuration, 30_000, { help: "When it is ended.", example: "1m" });
const limited = <F extends Fields>({ summary, fields }: { readonly summary: string; readonly fields: F }) => ({
  summary,
  fields: { ...fields, timeout },
});
const handler = variant(
  "handler",
  {
    command: limited(programVariants.command),
    legacy: limited({ ...programVariants.legacy, summary: "Runs a program; its exit code is noted in history." }),
    wasm: limited({ ...programVariants.wasm, summary: "Runs a WASI module, without files and without network." }),
  },
  {
    title: "Handler",
    intro:
      "What can run when an object changes: a restart, a ticket. Objects name one, or `event_handlers` does for all.",
    example: `hosts: web1: {address: "192.0.2.10", handler: "restart", check: {type: "tcp", address: "192.0.2.10:80", flap: {}}}
handlers: restart: {type: "command", command: "restart", args: ["$HOSTNAME$", "$HOSTSTATE$"], timeout: "1m"}
commands: restart: line: "/usr/local/bin/restart $ARG1$ $ARG2$"`,
  },
);

export const eventHandlersParser = struct(
  {
    enabled: withDefault(boolean, true, { help: "Whether any handler runs when the agent starts.", example: false }),
    host: withDefault(string, "", {
      help: "Runs on every change of a host; empty: nothing.",
      example: "note",
      constraint: "a key of `handlers`",
    }),
    service: withDefault(string, "", {
      help: "Runs on every change of a service; empty: nothing.",
      example: "note",
      constraint: "a key of `handlers`",
    }),
  },
  {
    title: "Event handlers",
    intro: "Handlers for all hosts and all services, and the switch for all handlers.",
    example: `hosts: {}
handlers: note: {type: "legacy", path: "/usr/local/bin/note"}
event_handlers: {host: "note", service: "note"}`,
  },
);

export const commandsParser = map(command);
export const handlersParser = map(handler);
