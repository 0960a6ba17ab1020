import { useState } from "react";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { targetOfItem } from "../../api/commands/object-actions.ts";
import { usePreference } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { AuthorField, CommentField } from "../../components/controls/form-fields.tsx";
import { CommandForm } from "./command-form.tsx";

export function CommentDialog({ target }: { target: StatusItem }) {
  const commands = useCommandClient();
  const author = usePreference("author");
  const [text, setText] = useState("");
  const command = {
    label: "comment",
    async send(item: StatusItem) {
      const { commentId } = await commands.addComment(item.realm, { target: targetOfItem(item), author, text });
      return (row: StatusItem["row"]) => row.comments.some(({ id }) => id === commentId);
    },
  };
  return (
    <DialogFrame title="Add comment">
      <CommandForm
        targets={[target]}
        submit="Add comment"
        problem={text.trim() === "" ? "A comment must not be empty." : undefined}
        command={command}
      >
        <CommentField value={text} onChange={setText} required />
        <AuthorField />
      </CommandForm>
    </DialogFrame>
  );
}
