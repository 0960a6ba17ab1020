import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { personText } from "@realmwatch/shared/view/person";
import { optionalMs } from "../../api/status/status-item.ts";
import { EndTime } from "../time/time-text.tsx";

/** Mute of a contact: `muted by ann until 14:00:00 (in 2 h): on holiday`. */
export function MuteText({ contact }: { contact: Contact }) {
  const by = personText({ author: contact.mutedBy, onBehalfOf: contact.onBehalfOf });
  const untilMs = optionalMs(contact.mutedUntil);
  return (
    <>
      muted{by !== "" && ` by ${by}`}
      {untilMs === undefined ? (
        ", until undone"
      ) : (
        <>
          {" "}
          until <EndTime atMs={untilMs} />
        </>
      )}
      {contact.mutedComment !== "" && `: ${contact.mutedComment}`}
    </>
  );
}
