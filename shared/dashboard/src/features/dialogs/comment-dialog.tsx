import { useState } from "react";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { targetOfItem } from "../../api/commands/object-actions.ts";
import { useSend } from "../../api/commands/use-send.ts";
import { usePreference } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { AuthorField, CommentField } from "../../components/controls/form-fields.tsx";
import { dialogTexts } from "../../texts/dialog-texts.ts";
import { CommandForm } from "./command-form.tsx";

/** Maximum number of objects of one comment: each needs a call of its own. */
const maxTargets = 200;

/** Form to comment objects, with one call for each. */
export function CommentDialog({ targets }: { targets: readonly StatusItem[] }) {
  const send = useSend();
  const commands = useCommandClient();
  const author = usePreference("author");
  const [text, setText] = useState("");
  const command = {
    label: dialogTexts.comment,
    async send(item: StatusItem) {
      const { commentId } = await commands.addComment(item.realm, { target: targetOfItem(item), author, text });
      return (row: StatusItem["row"]) => row.comments.some(({ id }) => id === commentId);
    },
  };
  const tooMany = dialogTexts.objectsAreSelectedAComment(targets.length, maxTargets);
  const problem =
    targets.length > maxTargets ? tooMany : text.trim() === "" ? dialogTexts.aCommentMustNotBe : undefined;
  return (
    <DialogFrame title={targets.length === 1 ? dialogTexts.addComment : dialogTexts.commentObjects(targets.length)}>
      <CommandForm
        targets={targets}
        submit={dialogTexts.addComment}
        problem={problem}
        send={(items, onProgress) => send(items, command, onProgress)}
      >
        <CommentField value={text} onChange={setText} required />
        <AuthorField />
      </CommandForm>
    </DialogFrame>
  );
}
