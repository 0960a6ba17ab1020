import { cliCommand } from "../../cli-command.ts";
import { givenFlags } from "../../local/given-flags.ts";
import { localResult, runFormatted } from "../../local/local-result.ts";

export const validateConfigCliCommand = cliCommand({
  path: "config validate",
  args: ["FILE"],
  summary: "Check a configuration document on this machine, without a server.",
  flags: {
    lint: { help: "Also print warnings about valid but suspicious settings." },
    "cue-command": {
      help: "Installed `cue` program that evaluates it, or `auto` for the one on PATH.",
      placeholder: "PATH",
    },
  },
  run: async ({ args: [file = ""], flags, context }) => {
    const given = givenFlags({ "cue-command": flags["cue-command"] });
    const args = ["-check-config", `-config=${file}`, ...given, ...(flags.lint ? ["-lint"] : [])];
    return localResult(await context.runAgent({ args }));
  },
});

export const periodCliCommand = cliCommand({
  path: "config period",
  args: ["FILE", "NAME"],
  summary: "List when a timeperiod of a document is open, without a server.",
  flags: {
    from: { help: "Start of the time range, RFC 3339.", placeholder: "TIME", required: true },
    to: { help: "End of the time range, RFC 3339; at most ten years later.", placeholder: "TIME", required: true },
  },
  run: async ({ args: [file = "", name = ""], flags: { from, to }, context }) =>
    runFormatted(context, { args: ["period", `-from=${from}`, `-to=${to}`, file, name] }),
});
