import { changeOf } from "@realmwatch/shared/model/downtime";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { formatShare } from "@realmwatch/shared/text/share-of";
import { counted } from "@realmwatch/shared/view/plural";
import { type CliContext, cliCommand } from "../../cli-command.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../../output/cli-failure.ts";
import type { CliOutput } from "../../output/cli-output.ts";
import { deleteEach } from "../delete-each.ts";
import {
  type DowntimeEntry,
  downtimesByChange,
  entryJson,
  formatDowntimes,
  isScheduled,
  readDowntimes,
} from "./downtime-entries.ts";

type Conditions = Readonly<Record<"selector" | "comment" | "change", string | undefined>>;
type Filter = Conditions & { readonly ids: readonly string[] };

/** All scheduled downtimes, and those among them that a filter selects: a downtime has to meet each given condition. */
async function selectDowntimes(context: Pick<CliContext, "server">, filter: Filter) {
  const all = await readDowntimes(context, { selector: "" });
  if (!all.ok) return all;
  const matching = filter.selector === undefined ? all : await readDowntimes(context, { selector: filter.selector });
  if (!matching.ok) return matching;
  const { ids, comment = "", change } = filter;
  const selected = matching.value.filter(
    (entry) =>
      isScheduled(entry) &&
      (ids.length === 0 || ids.includes(entry.downtime.id)) &&
      (change === undefined || changeOf(entry.downtime) === change) &&
      entry.downtime.comment.toLowerCase().includes(comment.toLowerCase()),
  );
  return ok({ all: all.value.filter(isScheduled), selected });
}

/** Deletes a change as a whole where all its downtimes are selected, else its selected downtimes one by one. */
async function deleteSelected(
  { server, progress }: Pick<CliContext, "server" | "progress">,
  { all, selected }: { readonly all: readonly DowntimeEntry[]; readonly selected: readonly DowntimeEntry[] },
): Promise<Result<CliOutput, CliFailure>> {
  const whole = downtimesByChange(all);
  const [deleted, failures]: [DowntimeEntry[], string[]] = [[], []];
  for (const [changeId, entries] of downtimesByChange(selected)) {
    const isWhole = whole.get(changeId)?.length === entries.length && entries[0]?.downtime.changeId !== "";
    for (const part of isWhole ? [entries] : entries.map((entry) => [entry])) {
      progress(formatShare(deleted.length + failures.length, selected.length, "downtimes"));
      const [{ realm, downtime } = { realm: "", downtime: undefined }] = part;
      const answer = isWhole
        ? await server.execute("deleteDowntime", { changeId })
        : await server.execute("deleteDowntime", { downtimeId: downtime?.id ?? "" }, realm);
      if (answer.ok) deleted.push(...part);
      else failures.push(...answer.error.lines);
    }
  }
  const inRealms = [...Map.groupBy(deleted, ({ realm }) => realm)].map(([realm, own]) => `${own.length} in ${realm}`);
  const where = inRealms.length === 0 || deleted[0]?.realm === "" ? "" : `: ${inRealms.join(", ")}`;
  const ids = deleted.map(({ downtime }) => downtime.id);
  return ok({
    json: { deleted: ids },
    text: () => `deleted ${counted(ids.length, "downtime")}${where}`,
    ids,
    failures,
  });
}

export const removeDowntimeCliCommand = cliCommand({
  path: "downtime rm",
  args: ["[ID...]"],
  summary: "Delete downtimes that were scheduled: those with an ID, or those that meet each of the given conditions.",
  flags: {
    selector: { help: "Those of objects that the label selector matches.", placeholder: "EXPR" },
    comment: { help: "Those whose comment contains TEXT, in upper or lower case.", placeholder: "TEXT" },
    change: { help: "Those of this change, in all realms.", placeholder: "ID" },
    "dry-run": { help: "List the downtimes, and delete nothing." },
    yes: { help: "Delete without confirmation." },
  },
  async run({ args: ids, flags, context }) {
    const { selector, comment, change } = flags;
    const isFiltered = selector !== undefined || comment !== undefined || change !== undefined;
    if (ids.length === 0 && !isFiltered) return wrongUsage("an ID, -selector, -comment or -change is required");
    if (ids.length > 0 && isFiltered) return wrongUsage("IDs and -selector, -comment or -change exclude each other");
    if (ids.length > 0 && !flags["dry-run"])
      return deleteEach(ids, {
        what: "downtime",
        progress: context.progress,
        delete: (downtimeId) => context.server.command("deleteDowntime", { downtimeId }),
      });
    const found = await selectDowntimes(context, { ids, selector, comment, change });
    if (!found.ok) return found;
    const { selected } = found.value;
    if (flags["dry-run"])
      return ok({
        json: selected.map(entryJson),
        text: (screen) => formatDowntimes(selected, screen),
        ids: selected.map(({ downtime }) => downtime.id),
      });
    if (selected.length === 0) return commandFailed("no scheduled downtime meets the conditions");
    const question = `Delete ${counted(selected.length, "downtime")} of ${counted(downtimesByChange(selected).size, "change")}?`;
    if (!flags.yes && context.confirm !== undefined) {
      const { zone, clock } = context;
      context.report(formatDowntimes(selected, { zone, nowMs: clock.now(), columns: undefined, colours: false }));
      if (!(await context.confirm(question))) return commandFailed("nothing was deleted");
    }
    return deleteSelected(context, found.value);
  },
});
