import { create, toJson } from "@bufbuild/protobuf";
import { AddNoteResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { ListNotesResponseSchema, type Note } from "@realmwatch/proto/svc/v1/query_pb";
import { ok } from "@realmwatch/shared/model/result";
import { personOf } from "@realmwatch/shared/view/person";
import { cliCommand } from "../cli-command.ts";
import { readEntries } from "../connection/read-entries.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { formatLocalTime } from "../output/format-object.ts";
import { unansweredLines } from "../output/format-realm.ts";
import { formatTable, realmColumns, type Screen, type TextColumn } from "../output/table.ts";
import { readTimeFlags } from "../parse/read-time.ts";

export const addNoteCliCommand = cliCommand({
  path: "note add",
  args: ["TEXT"],
  summary: "Add a note to the shift log.",
  flags: {},
  async run({ args: [text = ""], context }) {
    const answer = await context.server.command("addNote", { text });
    if (!answer.ok) return answer;
    const { noteId } = answer.value;
    return ok({
      json: toJson(AddNoteResponseSchema, answer.value),
      text: () => `note ${noteId}`,
      ids: [noteId],
    });
  },
});

/** Columns of a table of notes. */
const noteTableColumns = (screen: Screen, notes: readonly Note[]): TextColumn<Note>[] => [
  { title: "ID", cell: ({ id }) => id, wideOnly: true },
  { title: "TIME", cell: ({ at }) => formatLocalTime(at, screen) },
  ...realmColumns(notes, ({ realm }) => realm),
  { title: "AUTHOR", cell: personOf },
  { title: "TEXT", cell: ({ text }) => text, flexible: true },
];

export const listNotesCliCommand = cliCommand({
  path: "note list",
  args: [],
  summary: "List the notes of the shift log, newest first.",
  flags: {
    realm: { help: "Only this realm.", placeholder: "NAME" },
    since: { help: "Start of the time range: 2h (ago), 06:00, 2026-03-29 22:00 or RFC 3339.", placeholder: "TIME" },
    until: { help: "End of the time range, exclusive.", placeholder: "TIME" },
  },
  async run({ flags, context }) {
    const times = readTimeFlags(["since", "until"], flags, context);
    if (!times.ok) return wrongUsage(times.error);
    const realm = flags.realm ?? context.server.realm;
    const { server } = context;
    const listed = await readEntries(
      server.url,
      (pageToken) => server.query("listNotes", { realm, ...times.value, pageSize: 1_000, pageToken }),
      (page) => page.notes,
    );
    if (!listed.ok) return listed;
    const { entries: notes, unanswered } = listed.value;
    return ok({
      json: toJson(ListNotesResponseSchema, create(ListNotesResponseSchema, { notes, unanswered })),
      list: "notes",
      text: (screen) => (notes.length === 0 ? "no notes" : formatTable(noteTableColumns(screen, notes), notes, screen)),
      ids: notes.map(({ id }) => id),
      failures: unansweredLines(unanswered),
    });
  },
});
