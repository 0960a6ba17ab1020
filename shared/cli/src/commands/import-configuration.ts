import { agentCommand } from "../local/agent-command.ts";

const sharedFlags = {
  out: {
    help: "Where to write the document; a name that ends in / is a folder.",
    placeholder: "FILE",
    required: true,
  },
  report: { help: "Where to write the findings about each object, as JSON.", placeholder: "FILE" },
  lenient: { help: "Exit with 0 although something was not carried over." },
  "data-dir": { help: "With -retention: empty data directory for the new agent.", placeholder: "DIR" },
  realm: { help: "With -retention: name of the agent's realm; default by default.", placeholder: "NAME" },
} as const;

export const importNagiosCliCommand = agentCommand({
  path: "import nagios",
  args: ["NAGIOS.CFG"],
  summary: "Convert a configuration of Nagios to a configuration document, without a server.",
  flags: {
    ...sharedFlags,
    retention: { help: "Retention file, whose states are taken over.", placeholder: "FILE" },
    verify: { help: "Precached object file of nagios4 -pv: each difference is a finding.", placeholder: "FILE" },
  },
  program: "import-nagios",
});

export const importIcinga2CliCommand = agentCommand({
  path: "import icinga2",
  args: ["[DIR_OR_FILE]"],
  summary: "Convert a configuration of Icinga 2 to a configuration document, without a server.",
  flags: {
    ...sharedFlags,
    include: { help: "Folder of Icinga's template library; that of this machine by default.", placeholder: "DIR" },
    objects: { help: "Output of icinga2 object list, instead of DIR_OR_FILE.", placeholder: "FILE" },
    retention: { help: "State file icinga2.state, whose states are taken over.", placeholder: "FILE" },
    verify: { help: "Output of icinga2 object list: each difference is a finding.", placeholder: "FILE" },
  },
  program: "import-icinga2",
});
