import { toJson } from "@bufbuild/protobuf";
import { AddCommentResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { misuse } from "../failure.ts";
import { readTarget } from "../read-target.ts";
import { deleteEach } from "./delete-each.ts";

export const addCommentCommand = cliCommand({
  path: "comment add",
  words: ["OBJECT", "TEXT"],
  about: "Add a comment to one object.",
  flags: {},
  async run({ words: [word, text = ""], desk }) {
    const target = readTarget(word, undefined);
    if (!target.ok) return misuse(target.error);
    const answer = await desk.server.command("addComment", { target: target.value, text });
    if (!answer.ok) return answer;
    const { commentId } = answer.value;
    return ok({
      json: toJson(AddCommentResponseSchema, answer.value),
      text: () => `comment ${commentId} on ${word}`,
      ids: [commentId],
    });
  },
});

export const removeCommentCommand = cliCommand({
  path: "comment rm",
  words: ["ID..."],
  about: "Delete comments.",
  flags: {},
  run: ({ words, desk }) =>
    deleteEach(words, { what: "comment", delete: (commentId) => desk.server.command("deleteComment", { commentId }) }),
});
