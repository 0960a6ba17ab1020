import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalHealth } from "./journal/journal-contract.ts";
import { journalDependency } from "./recovered-journal.ts";

const well: JournalHealth = {
  ...{ writable: true, error: "", bytes: 1, freeBytes: 1, damagedRecords: 0 },
  missing: undefined,
};
const rows: readonly (readonly [name: string, health: Partial<JournalHealth>, ok: boolean, detail: string])[] = [
  ["accepts writes", {}, true, "accepts writes"],
  ["cannot be read", { error: "history cannot be read: EIO" }, true, "accepts writes; history cannot be read: EIO"],
  ["takes none", { writable: false, error: "the disk is full" }, false, "the disk is full"],
];

for (const [name, health, ok, detail] of rows)
  test(`a journal that ${name} makes the agent ${ok ? "ready" : "unready"}, and the page says so`, () => {
    assert.deepEqual(journalDependency({ ...well, ...health }, ""), { name: "journal", ok, needed: true, detail });
  });
