import type { ConfigChanges } from "@realmwatch/proto/svc/v1/admin_pb";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { formatObjectName, keyOfWireRef, objectIdOf } from "../../api/status/object-key.ts";

/** Names of one kind of change that are listed. */
const shownNames = 30;

/** Changes that applying a document makes: counts, names and side effects. */
export function ChangesSummary({ changes }: { changes: ConfigChanges }) {
  const { summary, added, removed, changed, sideEffects } = changes;
  return (
    <div className="card changes">
      <p className="changes-line">{summary.join("; ")}</p>
      <Names title="Added" tone="added" refs={added} />
      <Names title="Removed" tone="removed" refs={removed} />
      <Names title="Changed" tone="changed" refs={changed} />
      {sideEffects.length > 0 && (
        <div className="callout">
          <h3>Side effects</h3>
          <ul>
            {sideEffects.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Names({ title, tone, refs }: { title: string; tone: string; refs: readonly ObjectRef[] }) {
  const keys = refs.flatMap((ref) => keyOfWireRef(ref) ?? []);
  if (keys.length === 0) return null;
  return (
    <p className={`changes-names is-${tone}`}>
      <strong>{title}</strong>{" "}
      {keys.slice(0, shownNames).map((key) => (
        <span key={objectIdOf("", key)} className="label">
          {formatObjectName(key)}
        </span>
      ))}
      {keys.length > shownNames && <span className="muted">and {keys.length - shownNames} more</span>}
    </p>
  );
}
