import type { Consumer, JsMsg } from "nats";

/** Maximum number of messages of one request: what the library asks for when a request is limited in bytes. */
const messagesPerRequest = 100;
/**
 * [FD98] Maximum size of the messages of one request, which NATS sends at once: it closes connections on which more than
 * 64 MB wait (`max_pending`). What it is sending counts until all of it is sent, also when the next request is for what
 * has already arrived, so twice the size of a request counts. Three are open at once during a rebuild: those of the two
 * streams, and one of the streams again.
 */
const bytesPerRequest = 4 * 1024 * 1024;
/**
 * Time for which one request for messages is open, ms. Shorter than the wait for acknowledgements: when the messages of an
 * aggregator that hangs are delivered again, its last request has ended and does not get them a second time.
 */
const pullForMs = 2_000;
/**
 * Interval at which NATS shows that it knows a request for messages, ms. Twice that without a sign, as after the death
 * of the server that led the consumer, has the library ask again; its default is half a minute.
 */
const silenceMs = 1_000;

/**
 * Requests for messages of a consumer, made one after the other. The library's own way to go on, `consume`, takes no limit
 * in bytes: when small messages are followed by large ones, it asks for too few bytes and never goes on.
 */
export class MessageRequests {
  readonly #consumer: Consumer;
  #isLimited = true;

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
  }

  /**
   * Messages of the next request, which ends early when `signal` aborts.
   *
   * @throws {NatsError} when the consumer or its stream is gone
   */
  async *next(signal?: AbortSignal): AsyncGenerator<JsMsg, void> {
    const limit = this.#isLimited ? { max_bytes: bytesPerRequest } : { max_messages: 1 };
    const messages = await this.#consumer.fetch({ ...limit, expires: pullForMs, idle_heartbeat: silenceMs });
    const close = (): void => void messages.close();
    signal?.addEventListener("abort", close, { once: true });
    let received = 0;
    try {
      for await (const message of messages) {
        received += 1;
        yield message;
        if (received === messagesPerRequest) break;
      }
    } finally {
      signal?.removeEventListener("abort", close);
      // NATS sends a message that is larger than a request only to one without such a limit.
      this.#isLimited = received > 0 || !this.#isLimited;
    }
  }
}
