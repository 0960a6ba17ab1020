import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { parseNoteText } from "@realmwatch/shared/commands/add-note";
import { fail, ok } from "@realmwatch/shared/model/result";
import { refuseLongText, textBytes } from "@realmwatch/shared/text/command-text";
import { type DeleteChangeOptions, deleteChange } from "./delete-change.ts";
import { sentKey } from "./forward-for-caller.ts";
import type { OwnNotes } from "./own-notes.ts";
import type { OwnViews } from "./own-views.ts";

type OwnCommandsOptions = DeleteChangeOptions & { readonly notes: OwnNotes; readonly views: OwnViews };

/** Commands of which the aggregator executes those without a realm itself. */
type OwnCommands = Pick<
  ServiceImpl<typeof RealmCommandService>,
  "addNote" | "saveView" | "deleteView" | "deleteDowntime"
>;

/** [FD100] Executes the commands that concern the aggregator itself or all realms, and forwards those that name a realm. */
export function ownCommands<S extends OwnCommands>(forwarding: S, options: OwnCommandsOptions): S {
  const { notes, views, mintKey } = options;
  return {
    ...forwarding,
    deleteDowntime(message, context) {
      const { realm, request } = message;
      return realm === "" && request !== undefined && request.changeId !== ""
        ? deleteChange(options, request, context)
        : forwarding.deleteDowntime(message, context);
    },
    async addNote(message, context) {
      if (message.realm !== "") return forwarding.addNote(message, context);
      const { text = "" } = message.request ?? {};
      const author = authorOf(message, context);
      valueOrThrow(parseNoteText(text));
      const tooLong = refuseLongText("text", textBytes(text, author));
      valueOrThrow(tooLong === undefined ? ok(undefined) : fail(tooLong));
      const key = sentKey(context) ?? mintKey();
      return {
        noteId: valueOrThrow(await notes.add({ author, text }, { caller: callerOf(context).identity?.name, key })),
      };
    },
    async saveView(message, context) {
      if (message.realm !== "") return forwarding.saveView(message, context);
      const { name = "", selector = "", description = "" } = message.request ?? {};
      valueOrThrow(await views.save({ name, selector, description, author: authorOf(message, context) }));
      return {};
    },
    async deleteView(message, context) {
      if (message.realm !== "") return forwarding.deleteView(message, context);
      valueOrThrow(await views.delete(message.request?.name ?? ""));
      return {};
    },
  };
}

/** Name of the caller; the author of the request where callers are not authenticated. */
const authorOf = (
  { request }: { readonly request?: { readonly author: string } | undefined },
  context: HandlerContext,
): string => callerOf(context).identity?.name ?? request?.author ?? "";
