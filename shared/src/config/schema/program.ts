import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, required, withDefault } from "../parser/structs.ts";

const literal = withDefault(list(string), [], {
  help: "Its arguments, handed over as they are: no shell, no macros.",
  example: ["-w", "10%"],
});

/** What runs a program of some kind: checks and handlers alike. */
export const programVariants = {
  command: {
    summary: "Runs a line of `commands`, with macros filled in.",
    fields: {
      command: required(nonEmptyString, { help: "Which line.", example: "ping", constraint: "a key of `commands`" }),
      args: withDefault(list(string), [], {
        help: "Values of `$ARG1$`, `$ARG2$` and so on; macros in them are filled in.",
        example: ["$HOSTADDRESS$", "5"],
        constraint: "only macros that exist",
      }),
    },
  },
  legacy: {
    summary: "Runs a monitoring plugin: its exit code 0, 1, 2 or 3 says ok, warning, critical or unknown.",
    fields: {
      path: required(nonEmptyString, { help: "Path of the plugin.", example: "/usr/lib/nagios/plugins/check_disk" }),
      args: literal,
    },
  },
  wasm: {
    summary: "Runs a WASI module as a plugin, without files, without network and with at most 64 MiB of memory.",
    fields: {
      module: required(nonEmptyString, { help: "Path of the `.wasm` file.", example: "plugins/queue.wasm" }),
      args: literal,
    },
  },
} as const;
