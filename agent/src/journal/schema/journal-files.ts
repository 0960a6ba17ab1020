/** Name of the SQLite database that holds the journal. */
export const journalFile = "journal.db";
/** Name of the SQLite database that holds the cursors; its lock reserves the data directory. */
export const cursorFile = "cursors.db";
