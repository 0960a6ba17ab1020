import { malformed, type Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import { declareCommand } from "./command-kind.ts";

type AddNote = { readonly id: string; readonly text: string };

/** [CM4] Validates the text of a note. */
export const parseNoteText = (text: string): Result<string, Refusal> =>
  text.trim() === "" ? malformed("text", "is required") : ok(text);

export const addNoteCommand = declareCommand("addNote", {
  kind: "add_note",
  words: { action: "Add note", noun: "note" },
  parse({ text }, { mintId }) {
    const parsed = parseNoteText(text);
    return parsed.ok ? ok({ id: mintId(), text }) : parsed;
  },
  effects: ({ id, text }: AddNote) => [{ kind: "note", id, text }],
  ids: ({ id }) => [id],
  response: ([noteId = ""]) => ({ noteId }),
});
