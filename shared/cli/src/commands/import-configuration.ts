import { cliCommand } from "../cli-command.ts";
import { givenFlags } from "../local/given-flags.ts";
import { localResult } from "../local/local-result.ts";

export const importNagiosCliCommand = cliCommand({
  path: "import nagios",
  args: ["NAGIOS.CFG"],
  summary: "Convert a configuration of Nagios to a configuration document, without a server.",
  flags: {
    out: { help: "Where to write the document.", placeholder: "FILE", required: true },
    report: { help: "Where to write the findings about each object, as JSON.", placeholder: "FILE" },
    retention: { help: "Retention file, whose states are taken over.", placeholder: "FILE" },
    "data-dir": { help: "With -retention: empty data directory for the new agent.", placeholder: "DIR" },
    realm: { help: "With -retention: name of the agent's realm; default by default.", placeholder: "NAME" },
    lenient: { help: "Exit with 0 although something was not carried over." },
  },
  run: async ({ args: [file = ""], flags: { lenient, ...files }, context }) =>
    localResult(
      await context.runAgent({ args: ["import-nagios", ...givenFlags(files), ...(lenient ? ["-lenient"] : []), file] }),
    ),
});

export const importIcinga2CliCommand = cliCommand({
  path: "import icinga2",
  args: ["[DIR_OR_FILE]"],
  summary: "Convert a configuration of Icinga 2 to a configuration document, without a server.",
  flags: {
    objects: { help: "Output of icinga2 object list, instead of DIR_OR_FILE.", placeholder: "FILE" },
    out: { help: "Where to write the document.", placeholder: "FILE", required: true },
    report: { help: "Where to write the findings about each object, as JSON.", placeholder: "FILE" },
    retention: { help: "Refused: states of Icinga 2 are not taken over.", placeholder: "FILE" },
    lenient: { help: "Exit with 0 although something was not carried over." },
  },
  run: async ({ args, flags: { lenient, ...files }, context }) =>
    localResult(
      await context.runAgent({
        args: ["import-icinga2", ...givenFlags(files), ...(lenient ? ["-lenient"] : []), ...args],
      }),
    ),
});
