import { errorText } from "@realmwatch/shared/platform/error-text";
import { streamOfSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { ErrorCode, NatsError } from "nats";

export const publishFailureKinds = ["too_large", "no_stream", "permission", "timeout", "full", "other"] as const;

/** Reason why JetStream did not store a message. */
export type PublishFailure = {
  /**
   * `too_large` and `permission`: it is not stored until a setting of the broker changes; `no_stream`: its stream does
   * not exist; else it may have been stored.
   */
  readonly kind: (typeof publishFailureKinds)[number];
  /** Reason in a few words, without the names of objects. */
  readonly why: string;
};

/** Subject without the object: `svc.v1.state.fra`. */
const topicOf = (subject: string): string => subject.split(".").slice(0, 4).join(".");

/** Causes for which a message is refused by itself, while others may be stored. */
export type RefusedMessageCause = Extract<PublishFailure["kind"], "too_large" | "permission">;

/** Message that was not stored. `mostBytes`: the broker's limit. */
type FailedMessage = { readonly subject: string; readonly size: number; readonly mostBytes: number };

/** Error code of JetStream for a message above the stream's `max_msg_size`. */
const maxMessageSizeExceeded = 10_054;

/** Explains the error of a publish to an operator. */
export function explainPublishError(error: unknown, { subject, size, mostBytes }: FailedMessage): PublishFailure {
  const stream = streamOfSubject(subject);
  const message = errorText(error);
  if (!(error instanceof NatsError)) return { kind: "other", why: `${topicOf(subject)}: ${message}` };
  if (error.code === ErrorCode.MaxPayloadExceeded)
    return {
      kind: "too_large",
      why: `the message has ${size} bytes, and NATS takes at most ${mostBytes} (max_payload)`,
    };
  if (error.api_error?.err_code === maxMessageSizeExceeded)
    return { kind: "too_large", why: `the message has ${size} bytes, more than max_msg_size of ${stream}` };
  // The library reports both a missing stream and an answer of a full one as 503; only the answer has an API error.
  if (error.code === ErrorCode.NoResponders && error.api_error === undefined)
    return {
      kind: "no_stream",
      why: `NATS has no stream ${stream} yet; an aggregator or \`realmwatch-aggregator nats-setup\` makes it`,
    };
  if (error.isPermissionError()) return { kind: "permission", why: `no permission to publish on ${topicOf(subject)}` };
  if (error.code === ErrorCode.Timeout)
    return { kind: "timeout", why: `${topicOf(subject)}: NATS does not confirm that messages are stored` };
  const description = error.api_error?.description;
  if (description === undefined) return { kind: "other", why: `${topicOf(subject)}: ${message}` };
  return isFull(description)
    ? { kind: "full", why: `${stream} is full: ${description}` }
    : { kind: "other", why: `${stream} refuses messages: ${description}` };
}

const isFull = (description: string): boolean => /maximum|exceeded|insufficient/i.test(description);
