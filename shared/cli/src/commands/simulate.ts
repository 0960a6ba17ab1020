import { cliCommand } from "../cli-command.ts";
import { givenFlags } from "../given-flags.ts";
import { localEnd } from "./local-end.ts";

export const simulateCommand = cliCommand({
  path: "config simulate",
  words: ["FILE"],
  about: "Tell which notifications FILE would have sent, saved or added in recorded history; no server is asked.",
  flags: {
    since: { help: "Beginning of the span: 7d (ago, the default), 36h or RFC 3339.", placeholder: "TIME" },
    config: { help: "The document that was running in the span.", placeholder: "FILE" },
    "data-dir": { help: "The agent's data directory.", placeholder: "DIR" },
    tolerance: {
      help: "How far apart two messages may be and still count as the same, 5m by default.",
      placeholder: "DURATION",
    },
  },
  run: async ({ words: [file = ""], flags, desk }) =>
    localEnd(await desk.runAgent({ args: ["simulate", ...givenFlags(flags), `-output=${desk.format}`, file] })),
});
