import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../../cli-command.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { entryJson, formatDowntimes, isScheduled, readDowntimes } from "./downtime-entries.ts";

export const listDowntimesCliCommand = cliCommand({
  path: "downtime list",
  args: ["[SELECTOR]"],
  summary: "List scheduled and recurring downtimes by change; with -output wide each of them.",
  flags: {
    selector: { help: "Only those of objects that the label selector matches.", placeholder: "EXPR" },
    realm: { help: "Only this realm.", placeholder: "NAME" },
    active: { help: "Only those in effect." },
  },
  async run({ args: [word], flags, context }) {
    if (word !== undefined && flags.selector !== undefined)
      return wrongUsage("SELECTOR and -selector exclude each other");
    const answer = await readDowntimes(context, { selector: word ?? flags.selector ?? "", realm: flags.realm });
    if (!answer.ok) return answer;
    const entries = answer.value.filter(({ downtime }) => !flags.active || downtime.inEffect === true);
    return ok({
      json: entries.map(entryJson),
      text: (screen) => formatDowntimes(entries, screen),
      // A recurring downtime is declared in the configuration and cannot be deleted by its id.
      ids: entries.filter(isScheduled).map(({ downtime }) => downtime.id),
    });
  },
});
