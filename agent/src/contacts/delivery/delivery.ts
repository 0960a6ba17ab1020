import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { type AttemptResult, reject } from "../../platform/outbound/delivery-result.ts";
import { type RightToAct, unlimitedRight } from "../../platform/right/right-to-act.ts";
import type { ContactMessage } from "../contact-message.ts";
import { ContactPipeline } from "./contact-pipeline.ts";
import type { ContactHealth, ContactIdentity, DeliveryHooks, DeliveryReports } from "./delivery-reports.ts";

export type DeliveryOptions = DeliveryReports & {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Default: that of an agent without a pair. */
  readonly right?: RightToAct | undefined;
  /**
   * True in a pair: a message whose earlier attempt may have arrived is marked as a possible duplicate. Default: false.
   */
  readonly marksDuplicates?: boolean | undefined;
  /** Contacts of the running configuration; read again before each attempt. */
  contacts(): ReadonlyMap<string, ContactPlan>;
  /** Longest duration of one attempt, ms. */
  deadlineMsOf(type: ContactPlan["type"]): number;
  /** Makes one attempt. Never rejects. */
  send(contact: ContactPlan, message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  readonly hooks: DeliveryHooks;
};

/** Deadline for a contact whose type is unknown because it was removed, ms. */
const removedContactDeadlineMs = 10_000;

/** Opens the delivery: one pipeline for each contact, none of which waits for another. */
export function openDelivery(options: DeliveryOptions) {
  const { clock, contacts, hooks } = options;
  const pipelines = new Map<string, ContactPipeline>();
  /** Pipelines of removed contacts that are still sending. */
  const retired = new Set<ContactPipeline>();
  let closed = false;

  function reportEnds(ends: readonly CompletedDelivery[]): Promise<void> {
    const nowMs = clock.now();
    for (const end of ends)
      hooks.ended(identityOf(end.notification.contact, options), end, Math.max(0, nowMs - end.notification.atMs));
    return options.ended(ends);
  }

  function pipelineOf(name: string): ContactPipeline {
    return pipelines.getOrInsertComputed(name, () => openPipeline(name, options, reportEnds));
  }

  /** Takes notifications to deliver, in order. Those that are pending already are ignored. */
  function enqueue(notifications: readonly Notification[]): void {
    if (closed) return;
    for (const notification of notifications) {
      const { contact } = notification;
      if (contacts().has(contact)) pipelineOf(contact).enqueue(notification);
      else void reportEnds([{ notification, outcome: "failed", detail: notConfigured, attempted: false }]);
    }
  }

  /** Applies a new result of `contacts()`. Notifications to contacts that were removed end as failed. */
  function reload(): void {
    for (const pipeline of retired) if (pipeline.queue.sending === 0) retired.delete(pipeline);
    for (const [name, pipeline] of pipelines) {
      if (contacts().has(name)) pipeline.retryNow();
      else {
        pipelines.delete(name);
        pipeline.failPending(notConfigured);
        if (pipeline.queue.sending > 0) retired.add(pipeline);
      }
    }
  }

  return {
    enqueue,
    reload,
    /** One entry for each configured contact, in the order of the configuration. */
    health: () => [...contacts().values()].map(({ name, type }) => healthOf(name, type, pipelines.get(name))),
    async close(graceMs: number) {
      closed = true;
      await Promise.all([...retired, ...pipelines.values()].map((pipeline) => pipeline.close(graceMs)));
    },
  };
}

const notConfigured = "the configuration has no such contact any more";

const identityOf = (contact: string, { contacts }: DeliveryOptions): ContactIdentity => ({
  contact,
  type: contacts().get(contact)?.type ?? "",
});

function openPipeline(name: string, options: DeliveryOptions, ended: DeliveryOptions["ended"]): ContactPipeline {
  const planOf = (): ContactPlan | undefined => options.contacts().get(name);
  const { right = unlimitedRight, marksDuplicates = false } = options;
  return new ContactPipeline({
    ...{ ...options, right, marksDuplicates },
    deadlineMs() {
      const plan = planOf();
      return plan === undefined ? removedContactDeadlineMs : options.deadlineMsOf(plan.type);
    },
    groupWaitMs() {
      const plan = planOf();
      return plan !== undefined && "groupWaitMs" in plan ? plan.groupWaitMs : 0;
    },
    fallbackAfterMs: () => planOf()?.fallback?.afterMs,
    async send(message, signal) {
      const plan = planOf();
      return plan === undefined ? reject("setup", notConfigured) : options.send(plan, message, signal);
    },
    ended,
    attempted(result, tookMs) {
      options.hooks.attempted(identityOf(name, options), result, tookMs);
      if (result.kind === "delivered") failpoint("before-sent");
    },
  });
}

function healthOf(contact: string, type: ContactPlan["type"], pipeline: ContactPipeline | undefined): ContactHealth {
  return { contact, type, waiting: pipeline?.length ?? 0, failing: pipeline?.queue.failing };
}
