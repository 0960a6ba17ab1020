import type { Msg, NatsConnection } from "nats";

/** Reply to a request: a message of the worker, or the broker's notice that there is no subscriber. */
export type InboxReply = { readonly kind: "message"; readonly data: Uint8Array } | { readonly kind: "no_responders" };

/** Status of the broker's notice that the subject has no subscriber. */
const noResponders = 503;

/** Inbox for the replies to all requests over one connection. */
export class ReplyInbox {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #requests = new Map<string, (reply: InboxReply) => void>();
  #count = 0;

  /** @param prefix unique subject that the connection may subscribe to, from `NatsBus.newInbox` */
  constructor(connection: NatsConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    connection.subscribe(`${this.#prefix}.*`, {
      callback: (error, message) => {
        if (error === null) this.#requests.get(message.subject)?.(toInboxReply(message));
      },
    });
  }

  /**
   * Publishes `data` and calls `onReply` for each reply. Throws when the connection is closed.
   *
   * @returns a function that stops listening for replies
   */
  request(subject: string, data: Uint8Array, onReply: (reply: InboxReply) => void): () => void {
    this.#count += 1;
    const inbox = `${this.#prefix}.${this.#count}`;
    this.#requests.set(inbox, onReply);
    const forget = (): void => void this.#requests.delete(inbox);
    try {
      this.#connection.publish(subject, data, { reply: inbox });
    } catch (error) {
      forget();
      throw error;
    }
    return forget;
  }
}

const toInboxReply = ({ headers, data }: Msg): InboxReply =>
  headers?.code === noResponders && data.length === 0 ? { kind: "no_responders" } : { kind: "message", data };
