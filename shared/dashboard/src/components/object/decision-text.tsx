import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { ObjectKey } from "../../api/status/object-key.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { EndTime } from "../time/time-text.tsx";
import { describeReason, untilLabel } from "./describe-reason.ts";

/** Why somebody was, or was not, told, with the end of the reason where that is known. */
export function DecisionText({ because, object }: { because: Because; object: ObjectKey | undefined }) {
  const untilMs = optionalMs(because.until);
  return (
    <>
      {describeReason(because, object?.kind === "service" ? object.host : undefined)}
      {untilMs !== undefined && (
        <>
          , {untilLabel(because.reason)} <EndTime atMs={untilMs} />
        </>
      )}
    </>
  );
}
