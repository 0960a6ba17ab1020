import type { Notification } from "@realmwatch/shared/model/notification";
import { type AttemptResult, reject } from "../../platform/outbound/delivery-result.ts";
import type { OutboundResponse } from "../../platform/outbound/outbound-http.ts";
import type { MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { alertDetails, alertKey, alertSteps } from "../format/alert-key.ts";
import { describeNotification, possibleDuplicateLabel, possibleDuplicateText } from "../format/notification-text.ts";
import { truncate } from "../format/sanitise-text.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { jsonTextAt, quoteResponse } from "../http/quote-response.ts";
import { sendEachNotification } from "./send-each.ts";

const maxTitle = 250;

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

function eventOf(notification: Notification, origin: MessageOrigin): Record<string, unknown> {
  const { subject: about, step } = alertSteps[notification.kind];
  const { subject, headline, output, longOutput, url, acknowledgeUrl } = describeNotification(notification, origin);
  const duplicate = notification.possibleDuplicate ? `${possibleDuplicateLabel}: ${possibleDuplicateText}` : "";
  return {
    title: truncate(subject, maxTitle),
    description: [duplicate, headline, output, longOutput, acknowledgeUrl && `Acknowledge: ${acknowledgeUrl}`]
      .filter(Boolean)
      .join("\n\n"),
    // The service has firing and resolved alerts only. One that must not page is resolved at once.
    status: step === "resolve" || step === "record" ? "resolved" : "firing",
    deduplication_key: alertKey(about, notification, origin),
    ...(url === "" ? {} : { source_url: url }),
    metadata: metadataOf(notification, origin),
  };
}

function metadataOf(notification: Notification, origin: MessageOrigin): Record<string, unknown> {
  const { kind, key } = notification;
  const { author, ...details } = alertDetails(notification, origin);
  return {
    ...details,
    ...(key.kind === "service" ? { host: key.host, service: key.name } : { [key.kind]: key.name }),
    ...(kind === "ACKNOWLEDGEMENT" ? { acknowledged_by: author ?? "" } : author === undefined ? {} : { author }),
  };
}

function classifyEvent(response: OutboundResponse, secrets: readonly string[]): AttemptResult {
  if (response.status === 401 || response.status === 403)
    return reject("setup", `answered ${response.status}: -incident-token is not valid for this alert source`);
  const text = jsonTextAt(response.body, ["errors", 0, "message"]) || jsonTextAt(response.body, ["message"]);
  return classifyContactResponse(response, quoteResponse(text, secrets));
}
