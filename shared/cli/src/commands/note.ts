import type { MessageInitShape } from "@bufbuild/protobuf";
import { create, toJson } from "@bufbuild/protobuf";
import { AddNoteResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import {
  type ListNotesRequestSchema,
  type ListNotesResponse,
  ListNotesResponseSchema,
  type Note,
  type UnansweredRealm,
} from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { personOf } from "@realmwatch/shared/view/person";
import { cliCommand } from "../cli-command.ts";
import { readPages } from "../connection/read-pages.ts";
import type { ServerClient } from "../connection/server-client.ts";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
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

type ListedNotes = Pick<ListNotesResponse, "notes" | "unanswered">;

/** Fetches all notes of a time range, newest first, and the realms that were missing in any page. */
async function listNotes(
  server: ServerClient,
  request: MessageInitShape<typeof ListNotesRequestSchema>,
): Promise<Result<ListedNotes, CliFailure>> {
  const notes: Note[] = [];
  const unanswered = new Map<string, UnansweredRealm>();
  const read = await readPages(server.url, {
    read: (pageToken) => server.query("listNotes", { ...request, pageSize: 1_000, pageToken }),
    take(page) {
      notes.push(...page.notes);
      for (const missing of page.unanswered) unanswered.set(missing.realm, missing);
      return true;
    },
  });
  return read.ok ? ok({ notes, unanswered: [...unanswered.values()] }) : read;
}

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
    const listed = await listNotes(context.server, { realm, ...times.value });
    if (!listed.ok) return listed;
    const { notes, unanswered } = listed.value;
    return ok({
      json: toJson(ListNotesResponseSchema, create(ListNotesResponseSchema, { notes, unanswered })),
      list: "notes",
      text: (screen) => (notes.length === 0 ? "no notes" : formatTable(noteTableColumns(screen, notes), notes, screen)),
      ids: notes.map(({ id }) => id),
      failures: unansweredLines(unanswered),
    });
  },
});
