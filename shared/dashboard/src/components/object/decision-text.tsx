import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { optionalMs } from "../../api/status/status-item.ts";
import { EndTime } from "../time/time-text.tsx";
import { describeReason, untilLabel } from "./describe-reason.ts";

/** Reason of a notification decision, with its end time if there is one. */
export function DecisionText({ decision, object }: { decision: Because; object: ObjectKey | undefined }) {
  const untilMs = optionalMs(decision.until);
  return (
    <>
      {describeReason(decision, object?.kind === "service" ? object.host : undefined)}
      {untilMs !== undefined && (
        <>
          , {untilLabel(decision.reason)} <EndTime atMs={untilMs} />
        </>
      )}
    </>
  );
}
