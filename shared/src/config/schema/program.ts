import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, required, withDefault } from "../parser/structs.ts";

const literalArguments = withDefault(list(string), [], {
  help: "Arguments, passed unchanged: no shell, no macros.",
  example: ["-w", "10%"],
});

/** Variants that run a program, shared by checks and handlers. */
export const programVariants = {
  command: {
    uses: "command",
    summary: "Runs a command line of `commands` with its macros expanded.",
    fields: {
      command: required(nonEmptyString, {
        help: "Name of the command line.",
        example: "ping",
        constraint: "a key of `commands`",
      }),
      args: withDefault(list(string), [], {
        help: "Values of `$ARG1$`, `$ARG2$` and so on. Macros in them are expanded.",
        example: ["$HOSTADDRESS$", "5"],
        constraint: "known macros only",
      }),
    },
  },
  legacy: {
    uses: "program",
    summary: "Runs a monitoring plugin. Exit code 0 is ok, 1 warning, 2 critical, 3 unknown.",
    fields: {
      path: required(nonEmptyString, { help: "Path of the plugin.", example: "/usr/lib/nagios/plugins/check_disk" }),
      args: literalArguments,
    },
  },
  wasm: {
    uses: "module",
    summary: "Runs a WASI module as a plugin, without access to files and network and with at most 64 MiB of memory.",
    fields: {
      module: required(nonEmptyString, { help: "Path of the `.wasm` file.", example: "plugins/queue.wasm" }),
      args: literalArguments,
    },
  },
} as const;
