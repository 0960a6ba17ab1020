import { cliCommand } from "../../cli-command.ts";
import { agentCommand, givenFlags } from "../../local/agent-command.ts";
import { localResult } from "../../local/local-result.ts";

export const validateConfigCliCommand = cliCommand({
  path: "config validate",
  args: ["FILE"],
  summary: "Check a configuration document on this machine, without a server.",
  flags: {
    "cue-command": {
      help: "Installed `cue` program that evaluates the document, or `auto` for the one on PATH.",
      placeholder: "PATH",
    },
    v: { help: "Also print how long each step of loading the document takes." },
    lint: { help: "Also print warnings about valid but suspicious settings." },
  },
  run: async ({ args: [file = ""], flags, context }) => {
    const args = ["-check-config", `-config=${file}`, ...givenFlags(flags)];
    return localResult(await context.runAgent({ args }));
  },
});

export const periodCliCommand = agentCommand({
  path: "config period",
  args: ["FILE", "NAME"],
  summary: "List when a timeperiod of a document is open, without a server.",
  flags: {
    from: { help: "Start of the time range, RFC 3339.", placeholder: "TIME", required: true },
    to: { help: "End of the time range, RFC 3339; at most ten years later.", placeholder: "TIME", required: true },
  },
  program: "period",
  isFormatted: true,
});
