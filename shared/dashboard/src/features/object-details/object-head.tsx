import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { ObjectMarks } from "../../components/object/object-marks.tsx";
import { PendingCommandMarks } from "../../components/object/pending-marks.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";

export function ObjectHead({ item }: { item: StatusItem }) {
  const { key, realm, row } = item;
  const isLastKnown = useIsStale()(item);
  return (
    <header className={`object-head ${isLastKnown ? "is-last-known" : ""}`} data-status={item.statusName}>
      <div className="object-title">
        <p className="crumbs">
          {realm !== "" && <span>{realm}</span>}
          {key.kind === "service" && (
            <ObjectLink realm={realm} object={{ kind: "host", name: key.host }} className="crumb-link">
              {key.host}
            </ObjectLink>
          )}
          <span>{key.kind}</span>
        </p>
        <h1>{key.name}</h1>
        <p className="object-state">
          <ItemStatus item={item} large />
          {item.sinceMs !== undefined && (
            <span>
              for <TimeAgo atMs={item.sinceMs} />
            </span>
          )}
          {item.problem && (
            <span className={item.soft ? "attempt is-soft" : "attempt"}>
              attempt {row.attempt}/{row.maxAttempts}, {item.soft ? "soft" : "hard"}
            </span>
          )}
          <StaleMark realm={realm} />
          <span className="marks">
            <ObjectMarks item={item} />
            <PendingCommandMarks item={item} />
          </span>
        </p>
      </div>
      <Actions item={item} />
    </header>
  );
}

function Actions({ item }: { item: StatusItem }) {
  const { dialog } = useAppContext();
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  const noProblem = item.problem ? undefined : "There is no problem to acknowledge";
  const noCheck =
    item.key.kind === "process" ? "A process is computed from other objects and has no check of its own" : undefined;
  return (
    <div className="object-actions">
      {item.row.acknowledgement === undefined ? (
        <ActionButton
          tone="primary"
          shortcut="a"
          blockedReason={blockedReason ?? noProblem}
          onClick={() => actions.acknowledge([item])}
        >
          Acknowledge
        </ActionButton>
      ) : (
        <ActionButton blockedReason={blockedReason} onClick={() => actions.removeAcknowledgement(item)}>
          Remove acknowledgement
        </ActionButton>
      )}
      <ActionButton shortcut="d" blockedReason={blockedReason} onClick={() => actions.downtime([item])}>
        Downtime
      </ActionButton>
      <ActionButton
        shortcut="c"
        blockedReason={blockedReason}
        onClick={() => dialog.set({ kind: "comment", targets: [item] })}
      >
        Comment
      </ActionButton>
      <ActionButton shortcut="r" blockedReason={blockedReason ?? noCheck} onClick={() => actions.checkNow([item])}>
        Check now
      </ActionButton>
      {blockedReason !== undefined && <p className="closed-reason">{blockedReason}</p>}
    </div>
  );
}
