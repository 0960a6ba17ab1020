import { ok } from "../model/result.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { malformed, missing } from "./resolve-target.ts";

type DeleteComment = { readonly ref: string; readonly id: string };

export const deleteCommentCommand = declareCommand("deleteComment", {
  kind: "delete_comment",
  parse({ commentId: id }, { realm }) {
    if (id === "") return malformed("commentId", "is required");
    const ref = realm.commentRefs.get(id);
    return ref === undefined ? missing("commentId", `comment ${JSON.stringify(id)}`) : ok({ ref, id });
  },
  effects: ({ ref, id }: DeleteComment, { by }) => toObjects([ref], { kind: "delete_comment", id, by }),
  annotations: (command) => ({ of: "comments", change: "delete", entries: [command] }),
});
