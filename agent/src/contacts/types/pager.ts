import { never } from "@realmwatch/shared/model/never";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import { reject } from "../../platform/outbound/delivery-result.ts";
import type { MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { type AlertSubject, alertKey } from "../format/alert-key.ts";
import { describeNotification, lastGoodState, statusSince, statusText } from "../format/notification-text.ts";
import { sanitiseText, truncate } from "../format/sanitise-text.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { jsonTextAt, quoteResponse } from "../http/quote-response.ts";
import { sendEachNotification } from "./send-each.ts";

const maxSummary = 1_024;
/** Longest text of an event, characters; the service accepts events of up to 512 KB. */
const maxText = 32_768;

/** Sends an event to PagerDuty's Events API v2. */
export const pagerContact: ContactType<"pager"> = {
  type: "pager",
  deadlineMs: 10_000,
  send: ({ routingKey }, message, { http, settings, origin }, signal) =>
    sendEachNotification(message, async (notification) => {
      if (settings.pagerUrl === undefined) return reject("setup", "the event cannot be sent: -pager-url is empty");
      const action = actionOf(notification);
      const path = action.kind === "change" ? "/v2/change/enqueue" : "/v2/enqueue";
      const body = { routing_key: routingKey, ...eventBody(notification, action, origin) };
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

/** Action of a notification in the service. A `change` event is recorded beside the alerts and does not page. */
type PagerAction =
  | { readonly kind: "trigger" | "acknowledge" | "resolve"; readonly key: AlertSubject }
  | { readonly kind: "change" };

function actionOf({ kind }: Notification): PagerAction {
  switch (kind) {
    case "PROBLEM":
    case "STATUS_CHANGE":
      return { kind: "trigger", key: "problem" };
    case "ACKNOWLEDGEMENT":
      return { kind: "acknowledge", key: "problem" };
    case "RECOVERY":
      return { kind: "resolve", key: "problem" };
    case "FLAPPING_START":
      return { kind: "trigger", key: "flapping" };
    case "FLAPPING_STOP":
      return { kind: "resolve", key: "flapping" };
    case "CUSTOM":
      return { kind: "trigger", key: "message" };
    case "DOWNTIME_START":
    case "DOWNTIME_END":
    case "DOWNTIME_CANCELLED":
      return { kind: "change" };
    default:
      return never(kind);
  }
}

const severities: Readonly<Record<Status, "critical" | "error" | "warning" | "info">> = {
  critical: "critical",
  unreachable: "error",
  unknown: "error",
  warning: "warning",
  pending: "info",
  ok: "info",
};

function eventBody(notification: Notification, action: PagerAction, origin: MessageOrigin): Record<string, unknown> {
  const { subject, output, url, acknowledgeUrl } = describeNotification(notification, origin);
  const summary = truncate(output === "" ? subject : `${subject}: ${output.replace(/\s+/g, " ")}`, maxSummary);
  const common = { summary, source: sourceOf(notification.key), timestamp: formatInstant(notification.atMs) };
  const pages = [
    { href: acknowledgeUrl, text: "Acknowledge in Realmwatch" },
    { href: url, text: "Open in Realmwatch" },
  ].filter(({ href }) => href !== "");
  const links = pages.length === 0 ? {} : { links: pages };
  const details = detailsOf(notification, origin);
  if (action.kind === "change") return { payload: { ...common, custom_details: details }, ...links };
  const alert = { event_action: action.kind, dedup_key: alertKey(action.key, notification, origin) };
  if (action.kind !== "trigger") return alert;
  const { key, status } = notification;
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

function detailsOf(notification: Notification, { realm }: MessageOrigin): Record<string, unknown> {
  const { kind, status, previousStatus, number, level, author, comment, labels } = notification;
  return {
    realm,
    kind,
    status: statusText(status),
    previous_status: statusText(previousStatus),
    since: statusSince(notification),
    ...lastGoodState(notification),
    output: sanitiseText(notification.output, maxText),
    long_output: sanitiseText(notification.longOutput, maxText),
    perfdata: truncate(formatPerfdata(notification.perfdata), maxText),
    number,
    level,
    ...(author === "" ? {} : { author }),
    ...(comment === "" ? {} : { comment: sanitiseText(comment, maxText) }),
    labels,
  };
}
