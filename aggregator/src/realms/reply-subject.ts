import { realmInboxPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";

/**
 * True when a heartbeat of the realm may be answered on that subject: the agent's own inbox, the subject under which NATS
 * passes on a request of another account, or an inbox without a prefix, as with a NATS without permissions. Any other one
 * would have the aggregator publish where the sender may not, such as in the API of JetStream.
 */
export const isReplySubjectOf = (realm: string, subject: string): boolean =>
  [`${realmInboxPrefix(realm)}.`, "_R_.", "_INBOX."].some((prefix) => subject.startsWith(prefix));
