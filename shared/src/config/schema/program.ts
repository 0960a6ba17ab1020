import { list, optional, required } from "../parser/structs.ts";
import { filled, text } from "../parser/strings.ts";

const literal = optional(list(text), [], {
  help: "Its arguments, handed over as they are: no shell, no macros.",
  example: ["-w", "10%"],
});

/** What runs a program of some kind: checks and handlers alike. */
export const programs = {
  command: {
    about: "Runs a line of `commands`, with macros filled in.",
    fields: {
      command: required(filled, { help: "Which line.", example: "ping", constraint: "a key of `commands`" }),
      args: optional(list(text), [], {
        help: "Values of `$ARG1$`, `$ARG2$` and so on; macros in them are filled in.",
        example: ["$HOSTADDRESS$", "5"],
        constraint: "only macros that exist",
      }),
    },
  },
  legacy: {
    about: "Runs a monitoring plugin: its exit code 0, 1, 2 or 3 says ok, warning, critical or unknown.",
    fields: {
      path: required(filled, { help: "Path of the plugin.", example: "/usr/lib/nagios/plugins/check_disk" }),
      args: literal,
    },
  },
  wasm: {
    about: "Runs a WASI module as a plugin, without files, without network and with at most 64 MiB of memory.",
    fields: {
      module: required(filled, { help: "Path of the `.wasm` file.", example: "plugins/queue.wasm" }),
      args: literal,
    },
  },
} as const;
