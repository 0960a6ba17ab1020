import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { reject } from "../../platform/outbound/delivery-result.ts";
import type { MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { alertDetails, alertKey, alertSteps, maxAlertText } from "../format/alert-key.ts";
import { describeNotification } from "../format/notification-text.ts";
import { sanitiseText, truncate } from "../format/sanitise-text.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { jsonTextAt, quoteResponse } from "../http/quote-response.ts";
import { sendEachNotification } from "./send-each.ts";

const maxSummary = 1_024;

/** Sends an event to PagerDuty's Events API v2. */
export const pagerContact: ContactType<"pager"> = {
  type: "pager",
  deadlineMs: 10_000,
  send: ({ routingKey }, message, { http, settings, origin }, signal) =>
    sendEachNotification(message, async (notification) => {
      if (settings.pagerUrl === undefined) return reject("setup", "the event cannot be sent: -pager-url is empty");
      const path = isChange(notification) ? "/v2/change/enqueue" : "/v2/enqueue";
      const body = { routing_key: routingKey, ...eventBody(notification, origin) };
      return http.post(
        {
          url: settings.pagerUrl + path,
          id: notification.id,
          body,
          classify(response) {
            const text = jsonTextAt(response.body, ["errors", 0]) || jsonTextAt(response.body, ["message"]);
            return classifyContactResponse(response, quoteResponse(text, [routingKey]));
          },
        },
        signal,
      );
    }),
};

const severities: Readonly<Record<Status, "critical" | "error" | "warning" | "info">> = {
  critical: "critical",
  unreachable: "error",
  unknown: "error",
  warning: "warning",
  pending: "info",
  ok: "info",
};

/** True for a notification that is a change event: it is recorded beside the alerts and does not page. */
const isChange = ({ kind }: Notification): boolean => alertSteps[kind].step === "record";

function eventBody(notification: Notification, origin: MessageOrigin): Record<string, unknown> {
  const { subject, output, url, acknowledgeUrl } = describeNotification(notification, origin);
  const summary = truncate(output === "" ? subject : `${subject}: ${output.replace(/\s+/g, " ")}`, maxSummary);
  const common = { summary, source: sourceOf(notification.key), timestamp: formatInstant(notification.atMs) };
  const pages = [
    { href: acknowledgeUrl, text: "Acknowledge in Realmwatch" },
    { href: url, text: "Open in Realmwatch" },
  ].filter(({ href }) => href !== "");
  const links = pages.length === 0 ? {} : { links: pages };
  const details = {
    ...alertDetails(notification, origin),
    output: sanitiseText(notification.output, maxAlertText),
    long_output: sanitiseText(notification.longOutput, maxAlertText),
  };
  if (isChange(notification)) return { payload: { ...common, custom_details: details }, ...links };
  const { key, status, kind } = notification;
  const { subject: about, step } = alertSteps[kind];
  const alert = { event_action: step, dedup_key: alertKey(about, notification, origin) };
  if (step !== "trigger") return alert;
  const component = key.kind === "service" ? { component: key.name } : {};
  return {
    ...alert,
    payload: {
      ...common,
      severity: severities[status],
      ...component,
      group: origin.realm,
      class: key.kind,
      custom_details: details,
    },
    client: "Realmwatch",
    ...(origin.publicUrl === undefined ? {} : { client_url: origin.publicUrl }),
    ...links,
  };
}

const sourceOf = (key: ObjectKey): string => (key.kind === "service" ? key.host : key.name);
