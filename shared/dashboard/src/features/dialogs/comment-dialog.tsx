import { addCommentCommand } from "@realmwatch/shared/commands/add-comment";
import { useState } from "react";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { maxCommentTargets, targetOfItem } from "../../api/commands/object-actions.ts";
import { useSend } from "../../api/commands/use-send.ts";
import { usePreference } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { AuthorField, CommentField } from "../../components/controls/form-fields.tsx";
import { CommandForm } from "./command-form.tsx";

const { words } = addCommentCommand;

/** Form to comment objects, with one call for each. */
export function CommentDialog({ targets }: { targets: readonly StatusItem[] }) {
  const send = useSend();
  const commands = useCommandClient();
  const author = usePreference("author");
  const [text, setText] = useState("");
  const command = {
    label: words.noun,
    async send(item: StatusItem) {
      const { commentId } = await commands.addComment(item.realm, { target: targetOfItem(item), author, text });
      return (row: StatusItem["row"]) => row.comments.some(({ id }) => id === commentId);
    },
  };
  const selected = `${targets.length} objects are selected`;
  const tooMany = `${selected}; a comment is possible for up to ${maxCommentTargets}. Narrow the list down.`;
  const problem =
    targets.length > maxCommentTargets ? tooMany : text.trim() === "" ? "A comment must not be empty." : undefined;
  return (
    <CommandForm
      title={words.title(targets.length)}
      targets={targets}
      submit={words.title(1)}
      problem={problem}
      send={(items, onProgress) => send(items, command, onProgress)}
    >
      <CommentField value={text} onChange={setText} />
      <AuthorField />
    </CommandForm>
  );
}
