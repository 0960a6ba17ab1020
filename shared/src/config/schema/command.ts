import { boolean, nonEmptyString } from "../parser/scalars.ts";
import { map, required, struct, withDefault } from "../parser/structs.ts";

const command = struct(
  {
    line: required(nonEmptyString, {
      help: "Command line, with macros such as `$HOSTADDRESS$`, `$ARG1$`, `$USER1$`, `$_HOSTPORT$`. `$$` is a dollar sign.",
      example: "$USER1$/check_ping -H $HOSTADDRESS$ -p $ARG1$",
      constraint:
        "known macros only; values from outside only where they are treated as text; without `shell` its quotes must match",
    }),
    shell: withDefault(boolean, false, {
      help: "Runs the whole line with `/bin/sh -c`. Otherwise the line is split into words before macros are expanded, so that a macro cannot add words.",
      example: true,
    }),
  },
  {
    title: "Command",
    intro:
      "A command line for checks, contacts and handlers of type `command`. Its exit code is interpreted like a plugin's.",
    example: `hosts: web1: {
	address: "192.0.2.10"
	vars: PORT: "8080"
	check: {type: "command", command: "tcp", args: ["5"], flap: {}}
}
commands: tcp: line: "$USER1$/check_tcp -H $HOSTADDRESS$ -p $_HOSTPORT$ -t $ARG1$"
resources: USER1: "/usr/lib/nagios/plugins"`,
  },
);

export const commandsParser = map(command);
