import { removeAcknowledgementCommand } from "@realmwatch/shared/commands/remove-acknowledgement";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { objectCommands, useObjectActions } from "../../api/commands/object-actions.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { CauseLink, ImpactLink } from "../../components/object/impact-link.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { ObjectMarks } from "../../components/object/object-marks.tsx";
import { PendingCommandMarks } from "../../components/object/pending-marks.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";

type ObjectHeadProps = {
  realm: string;
  object: ObjectKey;
  /** Undefined while the row is loading, and for an object that does not exist. */
  item: StatusItem | undefined;
};

/** Head of an object's page. Its heading is there before the row is, so that it keeps the focus. */
export function ObjectHead({ realm, object: key, item }: ObjectHeadProps) {
  const isStale = useIsStale();
  const isLastKnown = item !== undefined && isStale(item);
  return (
    <header className={`card object-head ${isLastKnown ? "is-last-known" : ""}`} data-status={item?.statusName}>
      <div className="object-title">
        <p className="wrapped crumbs">
          {realm !== "" && <span>{realm}</span>}
          {key.kind === "service" && (
            <ObjectLink realm={realm} object={{ kind: "host", name: key.host }} className="crumb-link">
              {key.host}
            </ObjectLink>
          )}
          <span>{key.kind}</span>
        </p>
        <h1>
          {key.kind === "service" && <span className="host-part">{key.host} › </span>}
          {key.name}
        </h1>
        {item !== undefined && <ObjectState item={item} />}
      </div>
      {item !== undefined && <Actions item={item} />}
    </header>
  );
}

function ObjectState({ item }: { item: StatusItem }) {
  const { realm, row, sinceMs, problem, soft } = item;
  return (
    <p className="wrapped object-state">
      <ItemStatus item={item} large />
      {sinceMs !== undefined && (
        <span>
          for <TimeAgo atMs={sinceMs} />
        </span>
      )}
      {problem && (
        <span className={soft ? "attempt is-soft" : "attempt"}>
          attempt {row.attempt}/{row.maxAttempts}, {soft ? "soft" : "hard"}
        </span>
      )}
      <CauseLink item={item} />
      <ImpactLink item={item} />
      <StaleMark realm={realm} />
      <span className="marks">
        <ObjectMarks item={item} />
        <PendingCommandMarks item={item} />
      </span>
    </p>
  );
}

function Actions({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  const isProcess = item.key.kind === "process";
  const reasons: { readonly [action: string]: string | undefined } = {
    acknowledge: item.problem ? undefined : "There is no problem to acknowledge",
    checkNow: isProcess ? "A process is computed from other objects and has no check of its own" : undefined,
  };
  return (
    <div className="wrapped object-actions">
      {objectCommands.map(({ key, words, action }) =>
        action === "acknowledge" && item.row.acknowledgement !== undefined ? (
          <ActionButton key={key} blockedReason={blockedReason} onClick={() => actions.removeAcknowledgement(item)}>
            {removeAcknowledgementCommand.words.action}
          </ActionButton>
        ) : (
          <ActionButton
            key={key}
            tone={action === "acknowledge" ? "primary" : "plain"}
            shortcut={key}
            blockedReason={blockedReason ?? reasons[action]}
            onClick={() => actions[action]([item])}
          >
            {words.action}
          </ActionButton>
        ),
      )}
      {blockedReason !== undefined && <p className="closed-reason">{blockedReason}</p>}
    </div>
  );
}
