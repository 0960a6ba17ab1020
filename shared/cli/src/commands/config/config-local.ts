import { cliCommand } from "../../cli-command.ts";
import { localResult } from "../../local/local-result.ts";

export const validateConfigCliCommand = cliCommand({
  path: "config validate",
  args: ["FILE"],
  summary: "Check a configuration document on this machine; no server is asked.",
  flags: { lint: { help: "Also tells what holds but is probably not meant." } },
  run: async ({ args: [file = ""], flags, context }) =>
    localResult(
      await context.runAgent({ args: ["-check-config", `-config=${file}`, ...(flags.lint ? ["-lint"] : [])] }),
    ),
});

export const periodCliCommand = cliCommand({
  path: "config period",
  args: ["FILE", "NAME"],
  summary: "List when a timeperiod of a document is open; no server is asked.",
  flags: {
    from: { help: "Beginning of the span to look at, RFC 3339.", placeholder: "TIME", required: true },
    to: { help: "Its end, RFC 3339; at most ten years later.", placeholder: "TIME", required: true },
  },
  run: async ({ args: [file = "", name = ""], flags: { from, to }, context }) =>
    localResult(
      await context.runAgent({
        args: ["period", `-from=${from}`, `-to=${to}`, `-output=${context.format}`, file, name],
      }),
    ),
});
