import type { ContactType } from "../contact-type.ts";
import { digestFacts, type NotificationText } from "../format/notification-text.ts";
import { describeMessage, type MessageText } from "../format/plain-text.ts";
import { neutraliseMentions, truncate } from "../format/sanitise-text.ts";
import { statusColours } from "../format/status-colours.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { quoteResponse } from "../http/quote-response.ts";

/** Most attachments of a message, for readability; chat rooms accept 100. */
const maxAttachments = 20;
const maxOutput = 2_000;
const maxShortOutput = 300;

/** Posts to a chat room by an incoming webhook in the format of Slack, which Mattermost and others accept too. */
export const chatWebhookContact: ContactType<"chat_webhook"> = {
  type: "chat_webhook",
  deadlineMs: 10_000,
  async send({ webhookUrl }, message, { http, origin }, signal) {
    const body = chatMessage(describeMessage(message, origin));
    return http.post(
      {
        url: webhookUrl,
        id: message.id,
        body,
        classify: (response) => classifyContactResponse(response, quoteResponse(response.body, [webhookUrl])),
      },
      signal,
    );
  },
};

function chatMessage({ subject, notifications }: MessageText): Record<string, unknown> {
  const single = notifications.length === 1;
  const shown = notifications.slice(0, maxAttachments);
  const more = notifications.length - shown.length;
  const attachments: Record<string, unknown>[] = shown.map((notification) => attachment(notification, single));
  if (more > 0) attachments.push({ fallback: `and ${more} more`, text: `and ${more} more` });
  return { text: chatText(subject), mrkdwn: false, attachments };
}

function attachment(notification: NotificationText, inFull: boolean): Record<string, unknown> {
  const { status, subject, output, longOutput, hint, url, acknowledgeUrl } = notification;
  const shownOutput = inFull
    ? truncate([output, longOutput].filter(Boolean).join("\n"), maxOutput)
    : truncate(output, maxShortOutput);
  // The link consists of escaped names and the URL of the dashboard, so that no text of a check is part of it.
  const acknowledge = acknowledgeUrl === "" ? "" : `<${acknowledgeUrl}|Acknowledge>`;
  const advice = inFull ? [acknowledge, chatText(hint)].filter(Boolean).join(" · ") : acknowledge;
  const text = [verbatim(shownOutput), advice].filter(Boolean).join("\n");
  const facts = inFull ? notification.facts : digestFacts(notification);
  const fields = facts.map(([title, value]) => ({ title, value: chatText(value), short: value.length <= 40 }));
  return {
    color: statusColours[status],
    fallback: chatText(subject),
    title: chatText(subject),
    ...(url === "" ? {} : { title_link: url }),
    text,
    mrkdwn_in: ["text"],
    ...(fields.length === 0 ? {} : { fields }),
  };
}

/** [DL12] Escapes a text so that a chat room shows it literally: no link, no mention, no picture. */
const chatText = (text: string): string => neutraliseMentions(withoutMarkup(text));

/** Block of preformatted output. Nothing in it can close the block, so nothing in it is markup. */
const verbatim = (text: string): string => (text === "" ? "" : `\`\`\`\n${chatText(text)}\n\`\`\``);

const withoutMarkup = (text: string): string =>
  text
    .replaceAll("`", "'")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("](", "]\u200b(");
