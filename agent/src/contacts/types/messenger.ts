import { type Attempt, type ContactType, reject, retry } from "../contact-type.ts";
import { plainMentions } from "../format/mentions.ts";
import { mapTexts, shortenedText, wordMessage } from "../format/plain-text.ts";
import { type Answer, judgeAnswer } from "../http/json-http-client.ts";
import { quote, textIn, valueIn } from "../http/quote-response.ts";

/** The longest text that Telegram takes, UTF-16 units. */
const maxText = 4_096;

/** A message of the bot of `-messenger-token`, by Telegram's bot API. Without a parse mode nothing in it is markup. */
export const messenger: ContactType<"messenger"> = {
  type: "messenger",
  deadlineMs: 10_000,
  async send({ chatId }, message, { post, settings, sender }, signal) {
    const token = settings.messengerToken?.reveal();
    if (token === undefined) return reject("setup", "the message cannot be sent: -messenger-token is not set");
    if (settings.messengerUrl === undefined)
      return reject("setup", "the message cannot be sent: -messenger-url is empty");
    const text = shortenedText(mapTexts(wordMessage(message, sender), plainMentions), maxText);
    const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
    const url = `${settings.messengerUrl}/bot${token}/sendMessage`;
    const answer = await post.post({ url, id: message.id, body }, signal);
    return answer.kind === "answered" ? judge(answer, [token, chatId]) : answer;
  },
};

function judge(answer: Answer, secrets: readonly string[]): Attempt {
  const { status, body } = answer;
  const said = quote(textIn(body, ["description"]), secrets);
  if (status === 401 || status === 404)
    return reject("setup", `answered ${status}: -messenger-token is not valid there`);
  if (valueIn(body, ["parameters", "migrate_to_chat_id"]) !== undefined)
    return reject("setup", "the chat has become a supergroup, which has another chat_id");
  const seconds = valueIn(body, ["parameters", "retry_after"]);
  if (status === 429 && typeof seconds === "number" && seconds >= 0)
    return retry("rate_limited", `answered 429: too many messages${said}`, seconds * 1_000);
  return judgeAnswer(answer, said);
}
