import { createInbox, type Msg, type NatsConnection } from "nats";

/** What comes in answer to a question: each message of whoever took it, or that there is nobody to take it. */
export type InboxReply = { readonly kind: "message"; readonly data: Uint8Array } | { readonly kind: "nobody" };

/** The broker's own word that nobody listens to what was published. */
const noResponders = 503;

/** One subject of our own where the answers to all questions over a connection come in. */
export class ReplyInbox {
  readonly #connection: NatsConnection;
  readonly #prefix = createInbox();
  readonly #asked = new Map<string, (heard: InboxReply) => void>();
  #count = 0;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    connection.subscribe(`${this.#prefix}.*`, {
      callback: (error, message) => {
        if (error === null) this.#asked.get(message.subject)?.(heardIn(message));
      },
    });
  }

  /**
   * Publishes `data` and has `hear` called for everything that comes back. Throws where the connection is closed.
   *
   * @returns what ends it
   */
  request(subject: string, data: Uint8Array, hear: (heard: InboxReply) => void): () => void {
    this.#count += 1;
    const reply = `${this.#prefix}.${this.#count}`;
    this.#asked.set(reply, hear);
    const forget = (): void => void this.#asked.delete(reply);
    try {
      this.#connection.publish(subject, data, { reply });
    } catch (error) {
      forget();
      throw error;
    }
    return forget;
  }
}

const heardIn = ({ headers, data }: Msg): InboxReply =>
  headers?.code === noResponders && data.length === 0 ? { kind: "nobody" } : { kind: "message", data };
