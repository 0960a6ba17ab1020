import { never } from "@realmwatch/shared/model/never";
import type { ReactNode } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { TokenForm } from "../../components/sign-in/token-form.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { AcknowledgeLinkDialog } from "./acknowledge-link-dialog.tsx";
import { CommentDialog } from "./comment-dialog.tsx";
import { DowntimeDialog } from "./downtime-dialog.tsx";
import { HelpDialog, type HelpDialogProps } from "./help-dialog.tsx";
import { MuteDialog } from "./mute-dialog.tsx";
import { NewDowntimeDialog } from "./new-downtime-dialog.tsx";

type DialogHostProps = HelpDialogProps & {
  /** Command palette, which is a feature of its own. */
  palette: ReactNode;
};

/** Renders the requested dialog. */
export function DialogHost({ pages, palette }: DialogHostProps) {
  const { dialog } = useAppContext();
  const request = useStoreValue(dialog);
  switch (request?.kind) {
    case undefined:
      return null;
    case "acknowledge":
      return <AcknowledgeDialog targets={request.targets} />;
    case "acknowledge_link":
      return <AcknowledgeLinkDialog target={request.target} link={request.link} />;
    case "downtime":
      return <DowntimeDialog targets={request.targets} />;
    case "new_downtime":
      return <NewDowntimeDialog />;
    case "comment":
      return <CommentDialog targets={request.targets} />;
    case "mute":
      return <MuteDialog contact={request.contact} />;
    case "help":
      return <HelpDialog pages={pages} />;
    case "palette":
      return palette;
    case "token":
      return (
        <DialogFrame title="Enter a token">
          <TokenForm onDone={() => dialog.set(undefined)} />
        </DialogFrame>
      );
    default:
      return never(request);
  }
}
