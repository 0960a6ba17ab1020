import { agentCommand } from "../../local/agent-command.ts";

export const simulateCliCommand = agentCommand({
  path: "config simulate",
  args: ["FILE"],
  summary: "Show which notifications FILE would have sent, saved or added in recorded history, without a server.",
  flags: {
    since: { help: "Start of the time range: 7d (ago, the default), 36h or RFC 3339.", placeholder: "TIME" },
    config: { help: "The document that was in use in that time.", placeholder: "FILE" },
    "data-dir": { help: "The agent's data directory.", placeholder: "DIR" },
    tolerance: {
      help: "Maximum distance of two notifications that count as the same, 5m by default.",
      placeholder: "DURATION",
    },
  },
  program: "simulate",
  isFormatted: true,
});
