import { recurringIdPrefix } from "../model/downtime.ts";
import { malformed } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { type LineCommands, lineCommands, type ParsedLine } from "./command-line.ts";
import type { CommandRealm } from "./command-realm.ts";
import { parseUnixSeconds, splitArguments } from "./line-arguments.ts";
import { deletionLine } from "./numeric-id.ts";
import { missing } from "./resolve-target.ts";

type Entry = { readonly ref: string; readonly id: string };
/** One downtime, or all of a change. */
type DeleteDowntime = Entry | { readonly downtimes: readonly Entry[] };

const entriesOf = (command: DeleteDowntime): readonly Entry[] =>
  "downtimes" in command ? command.downtimes : [command];

/** Texts of a line that select downtimes; empty ones match everything. */
type Criteria = Readonly<Record<"host" | "service" | "start" | "comment", string>>;

function deleteMatching(criteria: Criteria): Result<ParsedLine<DeleteDowntime>, string> {
  const { start } = criteria;
  const startMs = start === "" || start === "0" ? ok(undefined) : parseUnixSeconds(start);
  if (!startMs.ok) return fail(`the start ${startMs.error}`);
  return ok({ after: "applied", resolve: ({ realm }) => matchingDowntimes(realm, criteria, startMs.value) });
}

function matchingDowntimes(
  realm: CommandRealm,
  { host, service, comment }: Criteria,
  startMs: number | undefined,
): Result<LineCommands<DeleteDowntime>, string> {
  const found: Entry[] = [];
  for (const [id, ref] of realm.downtimeRefs) {
    const record = realm.records.get(ref);
    const downtime = record?.state.downtimes.find((one) => one.id === id);
    if (record === undefined || downtime === undefined) continue;
    const { key } = record.plan;
    if (host !== "" && host !== (key.kind === "service" ? key.host : key.name)) continue;
    if (service !== "" && (key.kind !== "service" || service !== key.name)) continue;
    if (startMs !== undefined && startMs !== Math.floor(downtime.startMs / 1000) * 1000) continue;
    if (comment !== "" && comment !== downtime.comment) continue;
    found.push({ ref, id });
  }
  return found.length === 0 ? fail("no such downtime exists") : lineCommands(found);
}

export const deleteDowntimeCommand = declareCommand("deleteDowntime", {
  kind: "delete_downtime",
  words: { action: "Delete", noun: "deletion of the downtime" },
  parse({ downtimeId: id, changeId }, { realm }) {
    if (id !== "" && changeId !== "") return malformed("changeId", "cannot be given with downtimeId");
    if (changeId !== "") {
      const downtimes = realm.downtimesOfChange(changeId);
      return downtimes.length === 0
        ? missing("changeId", `a downtime of the change ${JSON.stringify(changeId)}`)
        : ok({ downtimes });
    }
    if (id === "") return malformed("downtimeId", "is required, or changeId");
    if (realm.plan.recurringDowntimes.some(({ name }) => id === recurringIdPrefix + name))
      return fail({
        kind: "unconfigured",
        why: `downtimeId: downtime ${JSON.stringify(id)} comes from the configuration: remove it there`,
      });
    const ref = realm.downtimeRefs.get(id);
    return ref === undefined ? missing("downtimeId", `downtime ${JSON.stringify(id)}`) : ok({ ref, id });
  },
  effects: (command: DeleteDowntime, { by }) =>
    entriesOf(command).flatMap(({ ref, id }) => toObjects([ref], { kind: "delete_downtime", id, by })),
  annotations: (command) => ({ of: "downtimes", change: "delete", entries: entriesOf(command) }),
  matched: (command) => new Set(entriesOf(command).map(({ ref }) => ref)).size,
  lines: {
    DEL_HOST_DOWNTIME: deletionLine("downtime", "host"),
    DEL_SVC_DOWNTIME: deletionLine("downtime", "service"),
    DEL_DOWNTIME_BY_HOST_NAME(raw) {
      const [host = "", service = "", start = "", comment = ""] = splitArguments(raw, 4);
      return host === "" ? fail("argument 1 (host) is empty") : deleteMatching({ host, service, start, comment });
    },
    DEL_DOWNTIME_BY_START_TIME_COMMENT(raw) {
      const [start = "", comment = ""] = splitArguments(raw, 2);
      if (start === "" && comment === "") return fail("names neither a start nor a comment");
      return deleteMatching({ host: "", service: "", start, comment });
    },
  },
});
