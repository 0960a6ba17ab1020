import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryType, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { acknowledgeProblemCommand } from "@realmwatch/shared/commands/acknowledge-problem";
import { personOf } from "@realmwatch/shared/view/person";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { ReactNode } from "react";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useAppContext, useNow } from "../../api/context/app-context.tsx";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { ProblemLink } from "../../api/status/problem-link.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import { useShortTime } from "../../components/time/time-text.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";

/** [DL31] Dialog that the link of a message opens: the form, or why there is nothing to acknowledge. */
export function AcknowledgeLinkDialog({ target, link }: { target: StatusItem; link: ProblemLink }) {
  const formatTime = useShortTime();
  const blockedReason = useBlockedReason()(target.realm);
  const endedMs = useEndOfProblem(target, link);
  const nowMs = useNow();
  const { acknowledgement } = target.row;
  const name = formatObjectName(target.key);
  if (!target.problem)
    return (
      <Answer title="The problem is over">
        {name} is {target.statusName}
        {target.sinceMs !== undefined && ` since ${formatTime(target.sinceMs)}`}. There is nothing to acknowledge.
      </Answer>
    );
  if (acknowledgement !== undefined) {
    const at = optionalMs(acknowledgement.at);
    return (
      <Answer title="Already acknowledged">
        {personOf(acknowledgement) || "Another user"} acknowledged the problem of {name}
        {at !== undefined && ` at ${formatTime(at)}`}: “{acknowledgement.comment}”
      </Answer>
    );
  }
  if (blockedReason !== undefined)
    return <Answer title={acknowledgeProblemCommand.words.title(1)}>{blockedReason}.</Answer>;
  const note =
    endedMs !== undefined
      ? `The problem of this link ended at ${formatTime(endedMs)}. The present one began later.`
      : link.expiresMs !== undefined && link.expiresMs < nowMs
        ? "This link is more than a week old. Look at the history before you acknowledge."
        : undefined;
  return <AcknowledgeDialog targets={[target]} note={note} />;
}

function Answer({ title, children }: { title: string; children: ReactNode }) {
  const { dialog } = useAppContext();
  return (
    <DialogFrame title={title}>
      <div className="dialog-form">
        <p>{children}</p>
        <footer className="dialog-foot">
          <ActionButton tone="primary" onClick={() => dialog.set(undefined)}>
            Close
          </ActionButton>
        </footer>
      </div>
    </DialogFrame>
  );
}

/** First recovery after the message, Unix ms; undefined when there was none, or the link does not say its time. */
function useEndOfProblem({ realm, key }: StatusItem, { atMs }: ProblemLink): number | undefined {
  const { data } = useQuery(
    QueryService.method.listHistory,
    {
      ...{ realm, object: objectKeyToProto(key), types: [HistoryType.STATE], pageSize: 1_000 },
      ...(atMs === undefined ? {} : { since: timestampFromMs(atMs) }),
    },
    { enabled: atMs !== undefined },
  );
  return optionalMs(data?.records.findLast(({ status }) => status === Status.OK)?.at);
}
