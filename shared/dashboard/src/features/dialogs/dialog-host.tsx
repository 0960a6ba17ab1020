import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { CommentDialog } from "./comment-dialog.tsx";
import { DowntimeDialog } from "./downtime-dialog.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { TokenForm } from "./token-form.tsx";

/** Renders the requested dialog. */
export function DialogHost() {
  const { dialog } = useAppContext();
  const request = useStoreValue(dialog);
  switch (request?.kind) {
    case undefined:
      return null;
    case "acknowledge":
      return <AcknowledgeDialog targets={request.targets} />;
    case "downtime":
      return <DowntimeDialog targets={request.targets} />;
    case "comment":
      return <CommentDialog target={request.target} />;
    case "help":
      return <HelpDialog />;
    case "token":
      return (
        <DialogFrame title="Enter a token">
          <TokenForm onDone={() => dialog.set(undefined)} />
        </DialogFrame>
      );
  }
}
