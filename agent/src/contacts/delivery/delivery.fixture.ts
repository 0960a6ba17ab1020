import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { type ManualClock, manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";
import { type AttemptResult, delivered, retry } from "../../platform/outbound/delivery-result.ts";
import type { RightToAct } from "../../platform/right/right-to-act.ts";
import type { ContactMessage } from "../contact-message.ts";
import { notificationAtMs, problemNotification } from "../notification.fixture.ts";
import { openDelivery } from "./delivery.ts";

export const webhookContactPlan = (name: string, groupWaitMs = 0): ContactPlan => ({
  type: "webhook",
  name,
  labels: {},
  notificationPeriod: "",
  url: "http://127.0.0.1:9/",
  groupWaitMs,
});

/** Notification of the only problem of a host. */
export const problemAbout = (host: string, id: string) =>
  problemNotification({ id, problemId: `p-${host}`, key: { kind: "host", name: host } });

/** Notes an attempt, which then fails and may be repeated. */
export const failAfter = (note: () => void, detail: string): AttemptResult => {
  note();
  return retry("server", detail);
};

type Given = {
  readonly plans?: readonly ContactPlan[];
  /** Default: every message is delivered. */
  readonly send?: (message: ContactMessage, contact: ContactPlan) => Promise<AttemptResult> | AttemptResult;
  /** Resolves when an end is durable. Default: at once. */
  readonly durable?: () => Promise<void> | undefined;
  /** Makes it the delivery of a pair's member. */
  readonly right?: (clock: ManualClock) => RightToAct;
};

/** Runs everything that waits for no timer. */
export async function runImmediates(): Promise<void> {
  for (let round = 0; round < 6; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Delivery with a manual clock, to receivers whose responses `send` returns. */
export function openTestDelivery({ plans = [webhookContactPlan("ann")], ...given }: Given) {
  const { send = () => delivered, durable = () => undefined } = given;
  const clock = manualClock(notificationAtMs);
  const ends: CompletedDelivery[] = [];
  const attempts: string[] = [];
  const failedAttempts: FailedAttempt[] = [];
  const overdue: Notification[] = [];
  let contacts: ReadonlyMap<string, ContactPlan> = new Map(plans.map((plan) => [plan.name, plan]));
  const right = given.right?.(clock);
  const delivery = openDelivery({
    ...{ clock, right, marksDuplicates: right !== undefined },
    random: () => 1,
    contacts: () => contacts,
    deadlineMsOf: () => 10_000,
    send: async (contact, message) => send(message, contact),
    async ended(some) {
      ends.push(...some);
      await durable();
    },
    attemptsFailed: (some) => failedAttempts.push(...some),
    overdue: (some) => overdue.push(...some),
    hooks: { attempted: (_, one) => attempts.push(one.kind === "delivered" ? one.kind : one.reason), ended: () => {} },
  });
  return {
    clock,
    delivery,
    ends,
    attempts,
    failedAttempts,
    overdue,
    /** The ends as `id outcome`. */
    outcomes: () => ends.map(({ notification: { id }, outcome }) => `${id} ${outcome}`),
    reconfigure(changed: readonly ContactPlan[]) {
      contacts = new Map(changed.map((plan) => [plan.name, plan]));
      delivery.reload();
    },
    /** Advances in steps shorter than any deadline, so that immediate responses arrive in time. */
    async advance(ms: number) {
      await runImmediates();
      for (let left = ms; left > 0; left -= 5_000) {
        clock.advance(Math.min(left, 5_000));
        await runImmediates();
      }
    },
  };
}
