import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { misuse } from "../failure.ts";
import { readTarget } from "../read-target.ts";
import { done, selectorFlag, showTarget } from "./target-command.ts";

export const checkCommand = cliCommand({
  path: "check",
  words: ["[TARGET]"],
  about: "Run the next check of objects now.",
  flags: { selector: selectorFlag },
  async run({ words: [word], flags, desk }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return misuse(target.error);
    const answer = await desk.server.command("scheduleCheck", { target: target.value });
    return answer.ok ? ok(done(`checking ${showTarget(target.value)} now`)) : answer;
  },
});
