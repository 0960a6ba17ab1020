import { cliCommand } from "../../cli-command.ts";
import { givenFlags } from "../../local/given-flags.ts";
import { localResult } from "../../local/local-result.ts";

export const simulateCliCommand = cliCommand({
  path: "config simulate",
  args: ["FILE"],
  summary: "Tell which notifications FILE would have sent, saved or added in recorded history; no server is asked.",
  flags: {
    since: { help: "Beginning of the span: 7d (ago, the default), 36h or RFC 3339.", placeholder: "TIME" },
    config: { help: "The document that was running in the span.", placeholder: "FILE" },
    "data-dir": { help: "The agent's data directory.", placeholder: "DIR" },
    tolerance: {
      help: "How far apart two messages may be and still count as the same, 5m by default.",
      placeholder: "DURATION",
    },
  },
  run: async ({ args: [file = ""], flags, context }) =>
    localResult(
      await context.runAgent({ args: ["simulate", ...givenFlags(flags), `-output=${context.format}`, file] }),
    ),
});
