import type { Comment } from "../model/annotation.ts";
import { malformed } from "../model/refusal.ts";
import { ok } from "../model/result.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { lineCommands, targetLines } from "./command-line.ts";
import { resolveObject } from "./resolve-target.ts";

type AddComment = { readonly ref: string; readonly id: string; readonly text: string };

export const addCommentCommand = declareCommand("addComment", {
  kind: "add_comment",
  words: {
    action: "Comment",
    noun: "comment",
    title: (count) => (count === 1 ? "Add comment" : `Comment ${count} objects`),
  },
  parse({ target, text }, { realm, mintId }) {
    if (target?.target.case === "objects") return malformed("target.objects", "a comment is on a single object");
    if (target?.target.case === "selector") return malformed("target.selector", "a comment is on a single object");
    if (target?.target.case !== "object") return malformed("target", "is required: an object");
    const record = resolveObject(realm, "target.object", target.target.value);
    return record.ok ? ok({ ref: record.value.plan.ref, id: mintId(), text }) : record;
  },
  effects({ ref, id, text }: AddComment, { by, atMs }) {
    const comment: Comment = { id, ...by, text, atMs };
    return toObjects([ref], { kind: "add_comment", comment });
  },
  annotations: (command) => ({ of: "comments", change: "add", entries: [command] }),
  response: ([commentId = ""]) => ({ commentId }),
  lines: targetLines(
    { host: "ADD_HOST_COMMENT", service: "ADD_SVC_COMMENT" },
    ["persistent", "author", "comment"],
    ([ref = ""], { author, comment: text }, { mintId }) => lineCommands([{ ref, id: mintId(), text }], author),
  ),
});
