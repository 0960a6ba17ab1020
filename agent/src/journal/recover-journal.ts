import { join } from "node:path";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { Notification } from "@realmwatch/shared/model/notification";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalOptions, JournalRecovery } from "./journal-contract.ts";
import { journalFile } from "./schema/journal-files.ts";
import { formatJournalDamage } from "./schema/journal-schema.ts";
import type { JournalStore } from "./write/journal-store.ts";
import type { StoredCommand, StoredObjectState, StoredStateSlice } from "./write/recovery-records.ts";

type Writer = ThreadClient<JournalStore>;
type TakeStates = (states: readonly StoredObjectState[]) => void;

/** States per slice of a recovery; a slice takes some MB. */
const statesPerSlice = 2_000;

/** Reads all stored records, as `Journal.recover` describes. */
export async function recoverJournal(
  writer: Writer,
  { clock, dataDir }: Pick<JournalOptions, "clock" | "dataDir">,
  take: TakeStates,
): Promise<JournalRecovery> {
  try {
    const head = await writer.request("recover", clock.now());
    const recovered = {
      ...head,
      commands: head.commands.map(parseCommand),
      appliedCommands: head.appliedCommands.map(parseCommand),
      notifications: head.notifications.map((json) => JSON.parse(json) as Notification),
    };
    await recoverStates(writer, take);
    return recovered;
  } catch (error) {
    throw new Error(formatJournalDamage(join(dataDir, journalFile), errorText(error)));
  }
}

async function recoverStates(writer: Writer, take: TakeStates): Promise<void> {
  const readSlice = (afterId: number): Promise<StoredStateSlice> => writer.request("states", afterId, statesPerSlice);
  let nextSlice: Promise<StoredStateSlice> | undefined = readSlice(0);
  while (nextSlice !== undefined) {
    const { states, nextAfterId }: StoredStateSlice = await nextSlice;
    nextSlice = nextAfterId === undefined ? undefined : readSlice(nextAfterId);
    // If `take` throws, the next slice is not awaited and its rejection would be unhandled.
    nextSlice?.catch(() => {});
    take(states);
  }
}

const parseCommand = ({ seq, json }: StoredCommand): AcceptedCommand => ({
  seq,
  ...(JSON.parse(json) as Omit<AcceptedCommand, "seq">),
});
