import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { useState } from "react";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import { Age } from "../../components/time/time-text.tsx";
import { RuleView } from "./rule-view.tsx";
import "./processes.css";

export type Process = { readonly item: StatusItem; readonly rule: ObjectRow["rule"] };

/** One process with its rule; the rule of a problem is open. */
export function ProcessCard({ process: { item, rule } }: { process: Process }) {
  const isStale = useIsStale();
  const [open, setOpen] = useState(item.problem);
  return (
    <article className={`card process-card ${isStale(item) ? "is-last-known" : ""}`} data-status={item.statusName}>
      <header className="wrapped process-head">
        <ItemStatus item={item} />
        <h2 className="title">
          <ObjectLink realm={item.realm} object={item.key}>
            {item.key.name}
          </ObjectLink>
        </h2>
        {item.realm !== "" && <span className="muted">{item.realm}</span>}
        <StaleMark realm={item.realm} />
        <span className="tools muted">
          <Age atMs={item.sinceMs} />
        </span>
      </header>
      <p className="process-output">{item.row.output}</p>
      {/* The process of a service level has no rule. */}
      {rule !== "" && (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Rule</summary>
          {open && <RuleView item={item} text={rule} />}
        </details>
      )}
    </article>
  );
}
