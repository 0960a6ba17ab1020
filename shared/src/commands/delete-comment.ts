import { malformed } from "../model/refusal.ts";
import { ok } from "../model/result.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { lineCommands, targetLines } from "./command-line.ts";
import { deletionLine } from "./numeric-id.ts";
import { missing } from "./resolve-target.ts";

type DeleteComment = { readonly ref: string; readonly id: string };

export const deleteCommentCommand = declareCommand("deleteComment", {
  kind: "delete_comment",
  words: { action: "Delete", noun: "deletion of the comment" },
  parse({ commentId: id }, { realm }) {
    if (id === "") return malformed("commentId", "is required");
    const ref = realm.commentRefs.get(id);
    return ref === undefined ? missing("commentId", `comment ${JSON.stringify(id)}`) : ok({ ref, id });
  },
  effects: ({ ref, id }: DeleteComment, { by }) => toObjects([ref], { kind: "delete_comment", id, by }),
  annotations: (command) => ({ of: "comments", change: "delete", entries: [command] }),
  lines: {
    DEL_HOST_COMMENT: deletionLine("comment", "host"),
    DEL_SVC_COMMENT: deletionLine("comment", "service"),
    ...targetLines(
      { host: "DEL_ALL_HOST_COMMENTS", service: "DEL_ALL_SVC_COMMENTS" },
      [],
      ([ref = ""], _, { realm }) => {
        const ids = [...realm.commentRefs].filter(([, of]) => of === ref).map(([id]) => id);
        return lineCommands(ids.map((id) => ({ ref, id })));
      },
      () => "stored",
    ),
  },
});
