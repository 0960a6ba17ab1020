import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { CommandSamples } from "./sinks.ts";

/** Performance data of applied commands, of which the log of the sinks may lack the last ones after a kill. */
export const commandSamples = (
  commands: readonly AcceptedCommand[],
  { objects }: Pick<RealmPlan, "objects">,
): CommandSamples[] =>
  commands.map(({ seq, command }) => ({
    commandSeq: seq,
    samples:
      command.kind !== "process_check_results"
        ? []
        : command.results.flatMap(({ ref, executedAtMs, perfdata }) => {
            const about = objects.get(ref)?.about;
            return about === undefined || perfdata.length === 0 ? [] : [{ about, atMs: executedAtMs, perfdata }];
          }),
  }));
