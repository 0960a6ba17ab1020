import { toJson } from "@bufbuild/protobuf";
import { AddCommentResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { readTarget } from "../parse/read-target.ts";
import { deleteEach } from "./delete-each.ts";

export const addCommentCliCommand = cliCommand({
  path: "comment add",
  args: ["OBJECT", "TEXT"],
  summary: "Add a comment to one object.",
  flags: {},
  async run({ args: [word, text = ""], context }) {
    const target = readTarget(word, undefined);
    if (!target.ok) return wrongUsage(target.error);
    const answer = await context.server.command("addComment", { target: target.value, text });
    if (!answer.ok) return answer;
    const { commentId } = answer.value;
    return ok({
      json: toJson(AddCommentResponseSchema, answer.value),
      text: () => `comment ${commentId} on ${word}`,
      ids: [commentId],
    });
  },
});

export const removeCommentCliCommand = cliCommand({
  path: "comment rm",
  args: ["ID..."],
  summary: "Delete comments.",
  flags: {},
  run: ({ args, context }) =>
    deleteEach(args, {
      what: "comment",
      progress: context.progress,
      delete: (commentId) => context.server.command("deleteComment", { commentId }),
    }),
});
