import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { formatInstant } from "@realmwatch/shared/text/instant";
import type { MessageOrigin } from "../contact-message.ts";
import { type ContactType, type HeartbeatMessage, heartbeatKind } from "../contact-type.ts";
import { statusSince, statusText } from "../format/notification-text.ts";
import { objectPageUrl } from "../format/object-links.ts";

/** Sends a POST request with JSON to any receiver. Texts are not sanitised: a receiver that shows them must do that. */
export const webhookContact: ContactType<"webhook"> = {
  type: "webhook",
  deadlineMs: 10_000,
  async send({ name, url }, { id, notifications }, { http, origin }, signal) {
    const items = notifications.map((notification) => notificationJson(notification, origin));
    const body = { version: 1, id, contact: name, realm: origin.realm, notifications: items };
    return http.post({ url, id, body, headers: duplicateHeader(notifications) }, signal);
  },
  async sendHeartbeat({ name, url }, heartbeat, { http }, signal) {
    const { id, realm } = heartbeat;
    const head = { version: 1, id, contact: name, realm, kind: heartbeatKind };
    return http.post({ url, id, body: { ...head, notifications: [heartbeatJson(heartbeat)] } }, signal);
  },
};

/** [PA43] Header of a message with a possible duplicate, for receivers that do not read the body. */
export const duplicateHeader = (notifications: readonly Notification[]): Record<string, string> =>
  notifications.some(({ possibleDuplicate }) => possibleDuplicate) ? { "X-Realmwatch-Possible-Duplicate": "1" } : {};

const heartbeatJson = ({ id, realm, version, atMs }: HeartbeatMessage): Record<string, unknown> => ({
  ...{ id, kind: heartbeatKind, realm, version },
  at: formatInstant(atMs),
});

function notificationJson(notification: Notification, origin: MessageOrigin): Record<string, unknown> {
  const { id, kind, key, status, previousStatus, stateType, attempt, maxAttempts } = notification;
  const { output, longOutput, perfdata, problemId, level, number, author, comment, labels } = notification;
  return {
    id,
    kind,
    object: objectJson(key),
    status: statusText(status),
    previousStatus: statusText(previousStatus),
    stateType: stateType.toUpperCase(),
    attempt,
    maxAttempts,
    output,
    longOutput,
    perfdata: perfdata.map(pointJson),
    problemId,
    level,
    number,
    author,
    comment,
    labels,
    since: statusSince(notification),
    at: formatInstant(notification.atMs),
    url: objectPageUrl(key, origin),
    ...(notification.fallbackFor === undefined ? {} : { fallbackFor: notification.fallbackFor }),
    ...(notification.possibleDuplicate ? { possibleDuplicate: true } : {}),
  };
}

/** Object as JSON: the kind, then the names. */
const objectJson = (key: ObjectKey): Record<string, string> =>
  key.kind === "service" ? { kind: key.kind, host: key.host, name: key.name } : { kind: key.kind, name: key.name };

const pointJson = ({ label, value, uom, warn, crit, min, max }: PerfPoint): Record<string, unknown> => ({
  label,
  value: value ?? null,
  uom,
  warn,
  crit,
  min: min ?? null,
  max: max ?? null,
});
