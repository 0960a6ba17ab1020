import type { Msg, NatsConnection } from "nats";

/** Inbox for the replies to all requests over one connection. */
export class ReplyInbox {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #requests = new Map<string, (reply: Msg) => void>();
  #count = 0;

  /** @param prefix unique subject that the connection may subscribe to, from `NatsBus.newInbox` */
  constructor(connection: NatsConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    connection.subscribe(`${this.#prefix}.*`, {
      callback: (error, message) => {
        if (error === null) this.#requests.get(message.subject)?.(message);
      },
    });
  }

  /**
   * Publishes `data` and calls `onReply` for each reply. Throws when the connection is closed.
   *
   * @returns a function that stops listening for replies
   */
  request(subject: string, data: Uint8Array, onReply: (reply: Msg) => void): () => void {
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
