import { useState } from "react";
import type { StatusItem } from "../api/status-item.ts";
import { targetOf } from "../commands/object-actions.ts";
import { useCommands } from "../commands/realm-gate.ts";
import { usePreference } from "../services/services.tsx";
import { CommandForm } from "./command-form.tsx";
import { DialogFrame } from "./dialog-frame.tsx";
import { AuthorField, CommentField } from "./fields.tsx";

export function CommentDialog({ target }: { target: StatusItem }) {
  const commands = useCommands();
  const author = usePreference("author");
  const [text, setText] = useState("");
  const order = {
    what: "comment",
    async send(item: StatusItem) {
      const { commentId } = await commands.addComment(item.realm, { target: targetOf(item), author, text });
      return (row: StatusItem["row"]) => row.comments.some(({ id }) => id === commentId);
    },
  };
  return (
    <DialogFrame title="Add comment">
      <CommandForm
        targets={[target]}
        submit="Add comment"
        problem={text.trim() === "" ? "A comment needs a text." : undefined}
        order={order}
      >
        <CommentField value={text} onChange={setText} required />
        <AuthorField />
      </CommandForm>
    </DialogFrame>
  );
}
