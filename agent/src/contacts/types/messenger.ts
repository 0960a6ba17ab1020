import { type AttemptResult, reject, retry } from "../../platform/outbound/delivery-result.ts";
import type { OutboundResponse } from "../../platform/outbound/outbound-http.ts";
import type { ContactType } from "../contact-type.ts";
import { describeMessage, formatShortenedText, mapMessageTexts } from "../format/plain-text.ts";
import { neutraliseMentions } from "../format/sanitise-text.ts";
import { classifyContactResponse } from "../http/json-http-client.ts";
import { jsonTextAt, jsonValueAt, quoteResponse } from "../http/quote-response.ts";

/** Longest text that Telegram accepts, UTF-16 units. */
const maxText = 4_096;

/**
 * Sends a message by Telegram's bot API, as the bot of `-messenger-token`. No parse mode is set, so no text is markup.
 */
export const messengerContact: ContactType<"messenger"> = {
  type: "messenger",
  deadlineMs: 10_000,
  async send({ chatId }, message, { http, settings, origin }, signal) {
    const token = settings.messengerToken?.reveal();
    if (token === undefined) return reject("setup", "the message cannot be sent: -messenger-token is not set");
    if (settings.messengerUrl === undefined)
      return reject("setup", "the message cannot be sent: -messenger-url is empty");
    const text = formatShortenedText(mapMessageTexts(describeMessage(message, origin), neutraliseMentions), maxText);
    const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
    const url = `${settings.messengerUrl}/bot${token}/sendMessage`;
    return http.post(
      { url, id: message.id, body, classify: (response) => classifyAnswer(response, [token, chatId]) },
      signal,
    );
  },
};

function classifyAnswer(response: OutboundResponse, secrets: readonly string[]): AttemptResult {
  const { status, body } = response;
  const quotation = quoteResponse(jsonTextAt(body, ["description"]), secrets);
  if (status === 401 || status === 404)
    return reject("setup", `answered ${status}: -messenger-token is not valid there`);
  if (jsonValueAt(body, ["parameters", "migrate_to_chat_id"]) !== undefined)
    return reject("setup", "the chat has become a supergroup, which has another chat_id");
  const seconds = jsonValueAt(body, ["parameters", "retry_after"]);
  if (status === 429 && typeof seconds === "number" && seconds >= 0)
    return retry("rate_limited", `answered 429: too many messages${quotation}`, seconds * 1_000);
  return classifyContactResponse(response, quotation);
}
