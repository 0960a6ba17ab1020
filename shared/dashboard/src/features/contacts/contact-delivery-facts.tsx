import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { optionalMs } from "../../api/status/status-item.ts";
import { DateTime } from "../../components/time/time-text.tsx";
import "../../components/object/delivery-word.css";

/** State of the deliveries to a contact: failing and why, or the last delivery; and the pending notifications. */
export function ContactDeliveryFacts({
  contact: { failingSince, lastError, lastDelivered, queued },
}: {
  contact: Contact;
}) {
  return (
    <>
      {failingSince === undefined ? (
        <LastDelivery atMs={optionalMs(lastDelivered)} />
      ) : (
        <>
          <span className="word is-bad">Failing</span> since <DateTime atMs={optionalMs(failingSince)} />
          {lastError !== "" && <div className="delivery-error">{lastError}</div>}
        </>
      )}
      {queued > 0 && <div className="muted">{queued} queued</div>}
    </>
  );
}

function LastDelivery({ atMs }: { atMs: number | undefined }) {
  if (atMs === undefined) return <span className="muted">none yet</span>;
  return (
    <span className="muted">
      last delivered <DateTime atMs={atMs} />
    </span>
  );
}
