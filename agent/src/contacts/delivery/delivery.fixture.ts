import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import { type AttemptResult, delivered } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import type { Handling } from "../contact-type.ts";
import { notificationAtMs } from "../notification.fixture.ts";
import { openDelivery } from "./delivery.ts";

export const webhookContactPlan = (name: string, groupWaitMs = 0): ContactPlan => ({
  type: "webhook",
  name,
  labels: {},
  notificationPeriod: "",
  url: "http://127.0.0.1:9/",
  groupWaitMs,
});

type Given = {
  readonly plans?: readonly ContactPlan[];
  readonly handling?: Handling;
  /** Default: everything arrives. */
  readonly send?: (message: ContactMessage, contact: ContactPlan) => Promise<AttemptResult> | AttemptResult;
  /** How long an end takes to be durable. Default: no time. */
  readonly durable?: () => Promise<void> | undefined;
};

/** Lets everything that needs no time happen. */
export async function runImmediates(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Delivery by a clock that moves when told, to receivers that answer as `send` says. */
export function openTestDelivery({ plans = [webhookContactPlan("ann")], handling, ...given }: Given) {
  const { send = () => delivered, durable = () => undefined } = given;
  const clock = manualClock(notificationAtMs);
  const ends: CompletedDelivery[] = [];
  const attempts: string[] = [];
  let contacts: ReadonlyMap<string, ContactPlan> = new Map(plans.map((plan) => [plan.name, plan]));
  const delivery = openDelivery({
    clock,
    chance: () => 1,
    contacts: () => contacts,
    handlingOf: () => handling ?? { deadlineMs: 10_000 },
    send: async (contact, message) => send(message, contact),
    async ended(some) {
      ends.push(...some);
      await durable();
    },
    hooks: { attempted: (_, one) => attempts.push(one.kind === "delivered" ? one.kind : one.reason), ended: () => {} },
  });
  return {
    clock,
    delivery,
    ends,
    attempts,
    /** The ends as `id outcome`. */
    told: () => ends.map(({ notification: { id }, outcome }) => `${id} ${outcome}`),
    reconfigure(changed: readonly ContactPlan[]) {
      contacts = new Map(changed.map((plan) => [plan.name, plan]));
      delivery.reload();
    },
    /** In steps shorter than any deadline, so that what answers at once is heard in time. */
    async advance(ms: number) {
      await runImmediates();
      for (let left = ms; left > 0; left -= 5_000) {
        clock.advance(Math.min(left, 5_000));
        await runImmediates();
      }
    },
  };
}
