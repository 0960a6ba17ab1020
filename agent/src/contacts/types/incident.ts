import { never } from "@realmwatch/shared/model/never";
import type { Notification } from "@realmwatch/shared/model/notification";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import { type AttemptResult, reject } from "../../platform/outbound/delivery-result.ts";
import type { OutboundResponse } from "../../platform/outbound/outbound-http.ts";
import type { MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { type AlertSubject, alertKey } from "../format/alert-key.ts";
import { describeNotification, lastGoodState, statusSince, statusText } from "../format/notification-text.ts";
import { sanitiseLine, sanitiseText, truncate } from "../format/sanitise-text.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { jsonTextAt, quoteResponse } from "../http/quote-response.ts";
import { sendEachNotification } from "./send-each.ts";

const maxTitle = 250;
/** Longest text of an event, characters; the service accepts events of up to 512 KB. */
const maxText = 32_768;

/** Sends an alert event to an HTTP source of incident.io. */
export const incidentContact: ContactType<"incident"> = {
  type: "incident",
  deadlineMs: 10_000,
  send: ({ alertSourceConfigId }, message, { http, settings, origin }, signal) =>
    sendEachNotification(message, async (notification) => {
      const token = settings.incidentToken?.reveal();
      if (token === undefined) return reject("setup", "the alert cannot be sent: -incident-token is not set");
      if (settings.incidentUrl === undefined)
        return reject("setup", "the alert cannot be sent: -incident-url is empty");
      const url = `${settings.incidentUrl}/v2/alert_events/http/${encodeURIComponent(alertSourceConfigId)}`;
      const headers = { authorization: `Bearer ${token}` };
      const body = eventOf(notification, origin);
      return http.post(
        {
          url,
          id: notification.id,
          headers,
          body,
          classify: (response) => classifyEvent(response, [token, alertSourceConfigId]),
        },
        signal,
      );
    }),
};

/** Status and alert of a notification in the service, whose alerts are either firing or resolved. */
function alertOf({ kind }: Notification): { readonly status: "firing" | "resolved"; readonly key: AlertSubject } {
  switch (kind) {
    case "PROBLEM":
    case "STATUS_CHANGE":
    case "ACKNOWLEDGEMENT":
      return { status: "firing", key: "problem" };
    case "RECOVERY":
      return { status: "resolved", key: "problem" };
    case "FLAPPING_START":
      return { status: "firing", key: "flapping" };
    case "FLAPPING_STOP":
      return { status: "resolved", key: "flapping" };
    case "CUSTOM":
      return { status: "firing", key: "message" };
    // Resolved at once: a downtime is recorded and must not page.
    case "DOWNTIME_START":
    case "DOWNTIME_END":
    case "DOWNTIME_CANCELLED":
      return { status: "resolved", key: "message" };
    default:
      return never(kind);
  }
}

function eventOf(notification: Notification, origin: MessageOrigin): Record<string, unknown> {
  const { status, key } = alertOf(notification);
  const { subject, headline, output, longOutput, url, acknowledgeUrl } = describeNotification(notification, origin);
  return {
    title: truncate(subject, maxTitle),
    description: [headline, output, longOutput, acknowledgeUrl && `Acknowledge: ${acknowledgeUrl}`]
      .filter(Boolean)
      .join("\n\n"),
    status,
    deduplication_key: alertKey(key, notification, origin),
    ...(url === "" ? {} : { source_url: url }),
    metadata: metadataOf(notification, origin),
  };
}

function metadataOf(notification: Notification, { realm }: MessageOrigin): Record<string, unknown> {
  const { kind, key, status, previousStatus, number, level, author, comment, labels } = notification;
  return {
    realm,
    kind,
    ...(key.kind === "service" ? { host: key.host, service: key.name } : { [key.kind]: key.name }),
    status: statusText(status),
    previous_status: statusText(previousStatus),
    since: statusSince(notification),
    ...lastGoodState(notification),
    number,
    level,
    perfdata: truncate(formatPerfdata(notification.perfdata), maxText),
    ...(kind === "ACKNOWLEDGEMENT" ? { acknowledged_by: sanitiseLine(author, 200) } : {}),
    ...(kind !== "ACKNOWLEDGEMENT" && author !== "" ? { author: sanitiseLine(author, 200) } : {}),
    ...(comment === "" ? {} : { comment: sanitiseText(comment, maxText) }),
    labels,
  };
}

function classifyEvent(response: OutboundResponse, secrets: readonly string[]): AttemptResult {
  if (response.status === 401 || response.status === 403)
    return reject("setup", `answered ${response.status}: -incident-token is not valid for this alert source`);
  const text = jsonTextAt(response.body, ["errors", 0, "message"]) || jsonTextAt(response.body, ["message"]);
  return classifyContactResponse(response, quoteResponse(text, secrets));
}
