import assert from "node:assert/strict";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openJournal } from "../../../journal/threads/open-journal.ts";
import { type JournaledObject, parseStoredObjects } from "../../../realm/durability/stored-object.ts";
import type { SubCommandOutput } from "../../run-sub-command.fixture.ts";

/** Result of an import of states, with those of the journal of realm `fra` by reference; none when it was refused. */
export type ImportedStates = SubCommandOutput & {
  readonly dataDir: string;
  readonly states: ReadonlyMap<string, JournaledObject>;
};

/** Reads the journal that an import has made in `dataDir`. */
export async function withImportedStates(output: SubCommandOutput, dataDir: string): Promise<ImportedStates> {
  const states = new Map<string, JournaledObject>();
  if (output.code === 1 || output.code === 2) return { ...output, dataDir, states };
  const journal = await openJournal({ dataDir, realm: "fra", historyRetentionMs: 1e12, clock: systemClock });
  assert.ok(journal.ok);
  await journal.value.recover((slice) => {
    for (const [ref, object] of parseStoredObjects(slice, systemClock.now())) states.set(ref, object);
  });
  await journal.value.close();
  return { ...output, dataDir, states };
}
