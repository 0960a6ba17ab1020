import { timestampMs } from "@bufbuild/protobuf/wkt";
import { DeliveryState, type WaitingFor } from "@realmwatch/proto/svc/v1/query_pb";
import type { StatusItem } from "../../api/status/status-item.ts";
import { formatTimeSpan } from "../time/format-time-span.ts";
import { describeReason } from "./describe-reason.ts";

/** Mark about a notification that is not sent or not delivered. */
type NotNotifiedMark = { readonly text: string; readonly title: string };

/** Reasons that are marked; others have a mark of their own, or end by themselves. */
const texts: Readonly<Record<string, string>> = {
  no_policy: "no policy",
  policy_period: "out of period",
  level_period: "out of period",
  contact_period: "out of period",
  kind_disabled: "kind disabled",
  status_not_selected: "status not notified",
  contact_off: "contact muted",
  program_off: "realm muted",
};

/** Mark for an object of which a notification waits for a contact that fails. */
function waitingMark({ contact, failingSince }: WaitingFor, nowMs: number): NotNotifiedMark {
  const sinceMs = failingSince === undefined ? nowMs : timestampMs(failingSince);
  const text = `not delivered: ${contact} failing for ${formatTimeSpan(nowMs - sinceMs)}`;
  return { text, title: `A notification waits for the contact ${contact}, which is tried again` };
}

/** Mark for an unhandled problem about which no contact is notified; undefined for every other row. */
export function notNotifiedMarkOf({ row, problem, handled }: StatusItem, nowMs: number): NotNotifiedMark | undefined {
  const decision = row.notification?.because;
  const waitingFor = row.notification?.waitingFor;
  if (waitingFor !== undefined) return waitingMark(waitingFor, nowMs);
  if (!problem || handled) return undefined;
  const failed = (row.notification?.deliveries ?? []).filter(
    ({ state }) => state === DeliveryState.FAILING || state === DeliveryState.GAVE_UP,
  );
  if (failed.length > 0)
    return {
      text: "not delivered",
      title: `Not delivered to ${failed.map(({ contact, error }) => `${contact}: ${error}`).join("; ")}`,
    };
  const text = decision && texts[decision.reason];
  return decision === undefined || text === undefined ? undefined : { text, title: describeReason(decision) };
}
