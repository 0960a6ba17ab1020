import { cliCommand } from "../cli-command.ts";
import { localEnd } from "./local-end.ts";

export const validateConfigCommand = cliCommand({
  path: "config validate",
  words: ["FILE"],
  about: "Check a configuration document on this machine; no server is asked.",
  flags: { lint: { help: "Also tells what holds but is probably not meant." } },
  run: async ({ words: [file = ""], flags, desk }) =>
    localEnd(await desk.runAgent({ args: ["-check-config", `-config=${file}`, ...(flags.lint ? ["-lint"] : [])] })),
});

export const periodCommand = cliCommand({
  path: "config period",
  words: ["FILE", "NAME"],
  about: "List when a timeperiod of a document is open; no server is asked.",
  flags: {
    from: { help: "Beginning of the span to look at, RFC 3339.", placeholder: "TIME", required: true },
    to: { help: "Its end, RFC 3339; at most ten years later.", placeholder: "TIME", required: true },
  },
  run: async ({ words: [file = "", name = ""], flags: { from, to }, desk }) =>
    localEnd(
      await desk.runAgent({ args: ["period", `-from=${from}`, `-to=${to}`, `-output=${desk.format}`, file, name] }),
    ),
});
