import { annotationChange, type Command } from "@realmwatch/shared/commands/commands";
import type { Author } from "@realmwatch/shared/model/author";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { refuseLongText, textBytes } from "@realmwatch/shared/text/command-text";
import type { RealmReader } from "../realm/state/realm-reader.ts";

/** Maximum number of comments, and of downtimes, of one object. */
const maxAnnotations = 1_000;
/** Maximum size of the text of an object's comments and downtimes, UTF-8 bytes. */
const maxObjectTextBytes = 262_144;
/** Number of objects with pending commands above which those that have been applied are removed. */
const checkedObjects = 1_000;

/** Comment or downtime that a command adds. */
type Addition = { readonly kind: "comments" | "downtimes"; readonly ref: string; readonly id: string };
/** `accepted`: true once the command is in the journal, so that its comments and downtimes can be looked up. */
type Pending = { readonly kind: Addition["kind"]; readonly bytes: number; accepted: boolean };

type Realm = Pick<RealmReader, "records" | "commentRefs" | "downtimeRefs">;

/**
 * [PT12] Limits of texts, comments and downtimes. A command that is not applied yet counts already, so that a burst of
 * commands cannot exceed them.
 */
export class CommandLimits {
  readonly #realm: Realm;
  readonly #pending = new Map<string, Map<string, Pending>>();

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  /**
   * Refuses a command that exceeds a limit. Another one counts from now on; the returned function is to be called with
   * true once the journal has it, and with false if the journal refused it, so that it counts no more.
   */
  reserve(command: Command, by: Author): Result<(accepted: boolean) => void, Refusal> {
    const { field, text } = textOf(command);
    const bytes = textBytes(text, by.author, by.onBehalfOf);
    const tooLong = refuseLongText(field, bytes);
    if (tooLong !== undefined) return fail(tooLong);
    const additions = additionsOf(command);
    for (const addition of additions) {
      const refused = this.#refusalOf(addition, bytes);
      if (refused !== undefined) return fail({ kind: "exhausted", what: refused });
    }
    for (const { ref, id, kind } of additions) {
      const ofObject = this.#pending.get(ref) ?? new Map<string, Pending>();
      this.#pending.set(ref, ofObject.set(id, { kind, bytes, accepted: false }));
    }
    if (this.#pending.size > checkedObjects) for (const ref of this.#pending.keys()) this.#dropApplied(ref);
    return ok((accepted) => {
      for (const { ref, id } of additions) {
        const pending = this.#pending.get(ref);
        const addition = pending?.get(id);
        if (addition !== undefined) addition.accepted = accepted;
        if (!accepted) pending?.delete(id);
      }
    });
  }

  #refusalOf({ kind, ref }: Addition, bytes: number): string | undefined {
    const state = this.#realm.records.get(ref)?.state;
    if (state === undefined) return undefined;
    const scheduled = state.downtimes.filter(({ shape }) => shape.kind !== "recurring");
    const pending = this.#dropApplied(ref);
    const count = (kind === "comments" ? state.comments : scheduled).length;
    if (count + pending.filter((each) => each.kind === kind).length >= maxAnnotations)
      return `${quoted(ref)} has ${maxAnnotations} ${kind} already: delete some first`;
    const texts = [
      ...state.comments.map(({ text, author, onBehalfOf }) => textBytes(text, author, onBehalfOf)),
      ...scheduled.map(({ comment, author, onBehalfOf }) => textBytes(comment, author, onBehalfOf)),
      ...pending.map((each) => each.bytes),
    ];
    return texts.reduce((sum, each) => sum + each, bytes) > maxObjectTextBytes
      ? `the comments and downtimes of ${quoted(ref)} would be larger than ${maxObjectTextBytes} bytes: delete some first`
      : undefined;
  }

  /** Forgets the additions to an object that its state has, or that were deleted since, and returns the others. */
  #dropApplied(ref: string): readonly Pending[] {
    const pending = this.#pending.get(ref);
    if (pending === undefined) return [];
    const { records, commentRefs, downtimeRefs } = this.#realm;
    const state = records.get(ref)?.state;
    const applied = new Set([...(state?.comments ?? []), ...(state?.downtimes ?? [])].map(({ id }) => id));
    for (const [id, { kind, accepted }] of pending) {
      const isDeleted = accepted && !(kind === "comments" ? commentRefs : downtimeRefs).has(id);
      if (applied.has(id) || isDeleted) pending.delete(id);
    }
    if (pending.size === 0) this.#pending.delete(ref);
    return [...pending.values()];
  }
}

const quoted = (ref: string): string => JSON.stringify(ref);

/** Free text of a command and its field in the request; the author where a command has no other text. */
function textOf(command: Command): { readonly field: "author" | "comment" | "text"; readonly text: string } {
  if ("comment" in command) return { field: "comment", text: command.comment };
  return "text" in command ? { field: "text", text: command.text } : { field: "author", text: "" };
}

function additionsOf(command: Command): readonly Addition[] {
  const annotations = annotationChange(command);
  return annotations?.change === "add" ? annotations.entries.map((entry) => ({ ...entry, kind: annotations.of })) : [];
}
