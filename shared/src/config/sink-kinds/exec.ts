import { string } from "../parser/scalars.ts";
import { list, required } from "../parser/structs.ts";
import { cursorField, sinkKind } from "./sink-kind.ts";

export const execSinkKind = sinkKind({
  summary: "Runs a program that reads lines of JSON from its standard input.",
  uses: "program",
  fields: {
    command: required(list(string, { nonEmpty: true }), {
      help: "Program and its arguments.",
      example: ["/usr/bin/logger", "-t", "mon"],
    }),
    cursor: cursorField,
  },
  compile: ({ command, cursor }) => ({ command, cursor }),
});
