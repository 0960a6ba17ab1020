import type { LoopJournal } from "@realmwatch/agent/realm/durability/state-writer";
import { parseStoredObjects } from "@realmwatch/agent/realm/durability/stored-object";
import type { RealmStart } from "@realmwatch/agent/realm/open-realm";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { ok } from "@realmwatch/shared/model/result";

/** A journal in memory with what a restarted agent finds: accepted commands stay until their effects are stored. */
export function memoryJournal(recorded: (entry: HistoryEntry) => void) {
  const states = new Map<string, string>();
  let program: string | undefined;
  let commands: readonly AcceptedCommand[] = [];
  let lastCommandSeq = 0;
  let lastHistorySeq = 0;
  const journal: LoopJournal = {
    async append(batch) {
      for (const { ref, state } of batch.states) {
        if (state === undefined) states.delete(ref);
        else states.set(ref, state);
      }
      program = batch.program ?? program;
      commands = commands.filter(({ seq }) => seq > batch.appliedCommandSeq);
      for (const entry of batch.history) recorded(entry);
      lastHistorySeq += batch.history.length;
      return ok({ lastHistorySeq });
    },
  };
  return {
    journal,
    accept(command: Omit<AcceptedCommand, "seq">): AcceptedCommand {
      lastCommandSeq += 1;
      const accepted = { ...command, seq: lastCommandSeq };
      commands = [...commands, accepted];
      return accepted;
    },
    states: (): ReadonlyMap<string, string> => states,
    stored: (): RealmStart["stored"] => ({
      ...{ states: new Map(parseStoredObjects(states, 0)), program, commands, lastCommandSeq },
    }),
  };
}
