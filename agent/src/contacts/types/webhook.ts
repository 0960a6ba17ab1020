import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { showInstant } from "@realmwatch/shared/text/instant";
import type { ContactType, Sender } from "../contact-type.ts";
import { objectUrl, statusWord } from "../format/notification-text.ts";
import { judgeAnswer } from "../http/json-http-client.ts";

/** A POST of JSON to any receiver. Texts go as they are: what shows them has to make them harmless. */
export const webhook: ContactType<"webhook"> = {
  type: "webhook",
  deadlineMs: 10_000,
  async send({ name, url }, { id, notifications }, { post, sender }, signal) {
    const told = notifications.map((notification) => notificationJson(notification, sender));
    const body = { version: 1, id, contact: name, realm: sender.realm, notifications: told };
    const answer = await post.post({ url, id, body }, signal);
    return answer.kind === "answered" ? judgeAnswer(answer) : answer;
  },
};

function notificationJson(notification: Notification, sender: Sender): Record<string, unknown> {
  const { id, kind, key, status, previousStatus, stateType, attempt, maxAttempts } = notification;
  const { output, longOutput, perfdata, problemId, level, number, author, comment, labels } = notification;
  return {
    id,
    kind,
    object: objectJson(key),
    status: statusWord(status),
    previousStatus: statusWord(previousStatus),
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
    since: showInstant(notification.sinceMs),
    at: showInstant(notification.atMs),
    url: objectUrl(key, sender),
  };
}

/** The kind first, then the names, which is the order that people read in. */
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
