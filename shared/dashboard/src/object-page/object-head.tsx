import type { StatusItem } from "../api/status-item.ts";
import { useObjectActions } from "../commands/object-actions.ts";
import { PendingMarks } from "../commands/pending-marks.tsx";
import { useGate } from "../commands/realm-gate.ts";
import { ObjectLink } from "../objects/object-link.tsx";
import { QuietMarks } from "../objects/quiet-marks.tsx";
import { StaleMark } from "../objects/stale-mark.tsx";
import { ActionButton } from "../parts/action-button.tsx";
import { useServices } from "../services/services.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import { Ago } from "../time/time-text.tsx";

export function ObjectHead({ item }: { item: StatusItem }) {
  const { key, realm, row } = item;
  return (
    <header className="object-head" data-status={item.word}>
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
          <StatusBadge word={item.word} handled={item.handled} large />
          <span>
            for <Ago atMs={item.sinceMs} />
          </span>
          {item.problem && (
            <span className={item.soft ? "attempt is-soft" : "attempt"}>
              attempt {row.attempt}/{row.maxAttempts}, {item.soft ? "soft" : "hard"}
            </span>
          )}
          <StaleMark realm={realm} />
          <span className="marks">
            <QuietMarks item={item} />
            <PendingMarks item={item} />
          </span>
        </p>
      </div>
      <Actions item={item} />
    </header>
  );
}

function Actions({ item }: { item: StatusItem }) {
  const { dialog } = useServices();
  const actions = useObjectActions();
  const closed = useGate()(item.realm);
  const noProblem = item.problem ? undefined : "There is no problem to acknowledge";
  const noCheck =
    item.key.kind === "process" ? "A process is computed from other objects and has no check of its own" : undefined;
  return (
    <div className="object-actions">
      {item.row.acknowledgement === undefined ? (
        <ActionButton
          tone="primary"
          shortcut="a"
          blockedBecause={closed ?? noProblem}
          onClick={() => actions.acknowledge([item])}
        >
          Acknowledge
        </ActionButton>
      ) : (
        <ActionButton blockedBecause={closed} onClick={() => actions.removeAcknowledgement(item)}>
          Remove acknowledgement
        </ActionButton>
      )}
      <ActionButton shortcut="d" blockedBecause={closed} onClick={() => actions.downtime([item])}>
        Downtime
      </ActionButton>
      <ActionButton shortcut="c" blockedBecause={closed} onClick={() => dialog.set({ kind: "comment", target: item })}>
        Comment
      </ActionButton>
      <ActionButton shortcut="r" blockedBecause={closed ?? noCheck} onClick={() => actions.checkNow([item])}>
        Check now
      </ActionButton>
      {closed !== undefined && <p className="closed-reason">{closed}</p>}
    </div>
  );
}
