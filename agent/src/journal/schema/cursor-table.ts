import type { DatabaseSync } from "node:sqlite";

/** Names in the cursor table for the end of the journal; names of readers never begin with `#`. */
export const endNames = { history: "#history", commands: "#commands", audit: "#audit" } as const;

export const createCursorTable = (cursorDb: DatabaseSync): void =>
  cursorDb.exec("CREATE TABLE IF NOT EXISTS cursor (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
