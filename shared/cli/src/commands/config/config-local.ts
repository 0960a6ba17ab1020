import { cliCommand } from "../../cli-command.ts";
import { localResult, runFormatted } from "../../local/local-result.ts";

export const validateConfigCliCommand = cliCommand({
  path: "config validate",
  args: ["FILE"],
  summary: "Check a configuration document on this machine, without a server.",
  flags: { lint: { help: "Also print warnings about valid but suspicious settings." } },
  run: async ({ args: [file = ""], flags, context }) =>
    localResult(
      await context.runAgent({ args: ["-check-config", `-config=${file}`, ...(flags.lint ? ["-lint"] : [])] }),
    ),
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
