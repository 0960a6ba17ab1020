/** Name of the SQLite database that holds the journal. */
export const journalFile = "journal.db";
/** Name in table `meta` of the time since which history has lost no record to the retention, Unix ms. */
export const historySinceMeta = "history_since";
/** Name of the file that notes that the journal is an older copy, until a person accepts the loss. */
export const restoredCopyFile = "restored-copy.json";
/** Name of the SQLite database that holds the cursors; its lock reserves the data directory. */
export const cursorFile = "cursors.db";
