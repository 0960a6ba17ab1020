import type { Clock } from "@realmwatch/shared/model/clock";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { allHeartbeatsSubject, type NatsSubject, parseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Msg } from "nats";
import { fullHeartbeatBudget, type HeartbeatBudget, heartbeatBudgetAfter } from "../realms/heartbeat-budget.ts";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import { isReplySubjectOf } from "../realms/reply-subject.ts";
import { decodeHeartbeat } from "./decode-message.ts";
import type { IngestEvents } from "./write-messages.ts";

/** Callbacks of heartbeats. None may throw. */
export type HeartbeatEvents = Pick<IngestEvents, "onRejected" | "onUnlisted"> & {
  /** `reply` sends an encoded answer to the agent; undefined when it expects none. */
  onHeartbeat(heartbeat: Heartbeat, reply: ((data: Uint8Array) => void) | undefined): void;
};

type HeartbeatListenerOptions = {
  /** Connection for heartbeats alone, so that a flood of them delays no row. */
  readonly bus: Pick<NatsBus, "subscribe">;
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns true when the realms document lists the realm. */
  readonly isListed: (realm: string) => boolean;
  readonly events: HeartbeatEvents;
};

/** [FD97] Receives heartbeats, and drops those of a realm above ten a second unread. Returns a function that ends it. */
export function listenToHeartbeats({ bus, clock, isListed, events }: HeartbeatListenerOptions): () => void {
  const budgets = new Map<string, HeartbeatBudget>();

  function isWithinBudget(realm: string): boolean {
    const nowMs = clock.monotonic();
    const after = heartbeatBudgetAfter(budgets.get(realm) ?? fullHeartbeatBudget(nowMs), nowMs);
    if (after !== undefined) budgets.set(realm, after);
    return after !== undefined;
  }
  function read(topic: NatsSubject, message: Msg): void {
    const { realm } = topic;
    const heartbeat = decodeHeartbeat(topic, message.data);
    if (!heartbeat.ok) return events.onRejected(heartbeat.error);
    const { reply: to = "" } = message;
    const isAnswerable = isReplySubjectOf(realm, to);
    if (to !== "" && !isAnswerable) events.onRejected({ realm, reason: "reply_subject" });
    events.onHeartbeat(heartbeat.value, isAnswerable ? (data) => void message.respond(data) : undefined);
  }
  return bus.subscribe(allHeartbeatsSubject, (message) => {
    const topic = parseSubject(message.subject);
    if (topic === undefined) return events.onRejected({ realm: "", reason: "subject" });
    const { realm } = topic;
    if (!isListed(realm)) return events.onUnlisted(realm);
    if (isWithinBudget(realm)) read(topic, message);
    else events.onRejected({ realm, reason: "heartbeat_rate" });
  });
}
