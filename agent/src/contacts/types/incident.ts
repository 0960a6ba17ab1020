import { never } from "@realmwatch/shared/model/never";
import type { Notification } from "@realmwatch/shared/model/notification";
import { showInstant } from "@realmwatch/shared/text/instant";
import { showPerfdata } from "@realmwatch/shared/text/show-perfdata";
import { type Attempt, type ContactType, reject, type Sender } from "../contact-type.ts";
import { describe, statusWord } from "../format/notification-text.ts";
import { clip, harmless, oneLine } from "../format/sanitise-text.ts";
import { type Answer, judgeAnswer } from "../http/json-http-client.ts";
import { type AlertKey, alertKey } from "../format/alert-key.ts";
import { quote, textIn } from "../http/quote-response.ts";
import { sendEach } from "./send-each.ts";

const maxTitle = 250;
/** An event may have 512 KB in all. */
const maxText = 32_768;

/** An alert event for an HTTP source of incident.io. */
export const incident: ContactType<"incident"> = {
  type: "incident",
  deadlineMs: 10_000,
  send: ({ alertSourceConfigId }, message, { post, settings, sender }, signal) =>
    sendEach(message, async (notification) => {
      const token = settings.incidentToken?.reveal();
      if (token === undefined) return reject("setup", "the alert cannot be sent: -incident-token is not set");
      if (settings.incidentUrl === undefined)
        return reject("setup", "the alert cannot be sent: -incident-url is empty");
      const url = `${settings.incidentUrl}/v2/alert_events/http/${encodeURIComponent(alertSourceConfigId)}`;
      const headers = { authorization: `Bearer ${token}` };
      const body = eventOf(notification, sender);
      const answer = await post.post({ url, id: notification.id, headers, body }, signal);
      return answer.kind === "answered" ? judge(answer, [token, alertSourceConfigId]) : answer;
    }),
};

/** What a notification is to the service, which knows an alert as firing or resolved and nothing else. */
function alertOf({ kind }: Notification): { readonly status: "firing" | "resolved"; readonly key: AlertKey } {
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
    // On record, and over as it comes: a downtime is to wake nobody.
    case "DOWNTIME_START":
    case "DOWNTIME_END":
    case "DOWNTIME_CANCELLED":
      return { status: "resolved", key: "message" };
    default:
      return never(kind);
  }
}

function eventOf(notification: Notification, sender: Sender): Record<string, unknown> {
  const { status, key } = alertOf(notification);
  const { subject, output, longOutput, url } = describe(notification, sender);
  return {
    title: clip(subject, maxTitle),
    description: [output, longOutput].filter(Boolean).join("\n\n"),
    status,
    deduplication_key: alertKey(key, notification, sender),
    ...(url === "" ? {} : { source_url: url }),
    metadata: metadataOf(notification, sender),
  };
}

function metadataOf(notification: Notification, { realm }: Sender): Record<string, unknown> {
  const { kind, key, status, previousStatus, number, level, author, comment, labels } = notification;
  return {
    realm,
    kind,
    ...(key.kind === "service" ? { host: key.host, service: key.name } : { [key.kind]: key.name }),
    status: statusWord(status),
    previous_status: statusWord(previousStatus),
    since: showInstant(notification.sinceMs),
    number,
    level: level + 1,
    perfdata: clip(showPerfdata(notification.perfdata), maxText),
    ...(kind === "ACKNOWLEDGEMENT" ? { acknowledged_by: oneLine(author, 200) } : {}),
    ...(kind !== "ACKNOWLEDGEMENT" && author !== "" ? { author: oneLine(author, 200) } : {}),
    ...(comment === "" ? {} : { comment: harmless(comment, maxText) }),
    labels,
  };
}

function judge(answer: Answer, secrets: readonly string[]): Attempt {
  if (answer.status === 401 || answer.status === 403)
    return reject("setup", `answered ${answer.status}: -incident-token is not valid for this alert source`);
  const said = textIn(answer.body, ["errors", 0, "message"]) || textIn(answer.body, ["message"]);
  return judgeAnswer(answer, quote(said, secrets));
}
