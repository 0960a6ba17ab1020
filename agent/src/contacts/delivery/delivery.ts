import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { type AttemptResult, reject } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import type { Handling } from "../contact-type.ts";
import { ContactPipeline } from "./contact-pipeline.ts";
import type { ContactHealth, ContactIdentity, DeliveryHooks } from "./delivery-hooks.ts";

export type DeliveryOptions = {
  readonly clock: Clock;
  readonly chance: RandomSource;
  contacts(): ReadonlyMap<string, ContactPlan>;
  handlingOf(type: ContactPlan["type"]): Handling;
  /** One attempt. Never rejects. */
  send(contact: ContactPlan, message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  /** Resolves when the ends will survive a crash. */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  readonly hooks: DeliveryHooks;
};

export type Delivery = {
  /** Takes what is to be delivered, in order. What it has already is left out. */
  enqueue(notifications: readonly Notification[]): void;
  /** To be called once `contacts()` answers from a new configuration. What was for contacts that are gone has failed. */
  reload(): void;
  /** One entry for each configured contact, in the configuration's order. */
  health(): ContactHealth[];
  /** Notifications that have not ended. */
  waiting(): number;
  close(graceMs: number): Promise<void>;
};

type Line = {
  readonly line: ContactPipeline;
  lastError: string;
  lastErrorAtMs: number | undefined;
  lastDeliveredAtMs: number | undefined;
};

/** Until the type of a contact that is gone is known again. */
const carefully: Handling = { deadlineMs: 10_000 };

/** A line for each contact, none of which waits for another. */
export function openDelivery(options: DeliveryOptions): Delivery {
  const { clock, contacts, hooks } = options;
  const lines = new Map<string, Line>();
  /** Of contacts that are gone, with something still on its way. */
  const retired = new Set<ContactPipeline>();
  let closed = false;

  const nameOf = (contact: string): ContactIdentity => ({ contact, type: contacts().get(contact)?.type ?? "" });

  function tellEnds(ends: readonly CompletedDelivery[]): Promise<void> {
    const nowMs = clock.now();
    for (const { notification, outcome } of ends)
      hooks.ended(nameOf(notification.contact), outcome, Math.max(0, nowMs - notification.atMs));
    return options.ended(ends);
  }

  function openLine(name: string): Line {
    const line = new ContactPipeline({
      clock,
      chance: options.chance,
      handling() {
        const plan = contacts().get(name);
        return plan === undefined ? carefully : options.handlingOf(plan.type);
      },
      groupWaitMs() {
        const plan = contacts().get(name);
        return plan !== undefined && "groupWaitMs" in plan ? plan.groupWaitMs : 0;
      },
      async send(message, signal) {
        const plan = contacts().get(name);
        return plan === undefined ? reject("setup", notConfigured) : options.send(plan, message, signal);
      },
      ended: tellEnds,
      attempted(attempt, tookMs) {
        hooks.attempted(nameOf(name), attempt, tookMs);
        if (attempt.kind === "delivered") {
          failpoint("before-sent");
          opened.lastDeliveredAtMs = clock.now();
        } else {
          opened.lastError = attempt.detail;
          opened.lastErrorAtMs = clock.now();
        }
      },
    });
    const opened: Line = { line, lastError: "", lastErrorAtMs: undefined, lastDeliveredAtMs: undefined };
    lines.set(name, opened);
    return opened;
  }

  function enqueue(notifications: readonly Notification[]): void {
    if (closed) return;
    for (const notification of notifications) {
      const { contact } = notification;
      if (contacts().has(contact)) (lines.get(contact) ?? openLine(contact)).line.enqueue(notification);
      else void tellEnds([{ notification, outcome: "failed", detail: notConfigured }]);
    }
  }

  function reload(): void {
    for (const line of retired) if (line.queue.sending === 0) retired.delete(line);
    for (const [name, { line }] of lines) {
      if (contacts().has(name)) line.retryNow();
      else {
        lines.delete(name);
        line.failPending(notConfigured);
        if (line.queue.sending > 0) retired.add(line);
      }
    }
  }

  function health(): ContactHealth[] {
    return [...contacts().values()].map(({ name, type }) => {
      const known = lines.get(name);
      if (known === undefined) return { contact: name, type, ...untried };
      const { line, lastError, lastErrorAtMs, lastDeliveredAtMs } = known;
      const { sending, failing } = line.queue;
      const waiting = line.length;
      return { contact: name, type, waiting, sending, failing, lastError, lastErrorAtMs, lastDeliveredAtMs };
    });
  }

  return {
    enqueue,
    reload,
    health,
    waiting() {
      let waiting = 0;
      for (const { line } of lines.values()) waiting += line.length;
      return waiting;
    },
    async close(graceMs) {
      closed = true;
      const all = [...retired, ...[...lines.values()].map(({ line }) => line)];
      await Promise.all(all.map((line) => line.close(graceMs)));
    },
  };
}

const notConfigured = "the configuration has no such contact any more";
const untried = {
  waiting: 0,
  sending: 0,
  failing: undefined,
  lastError: "",
  lastErrorAtMs: undefined,
  lastDeliveredAtMs: undefined,
} as const;
