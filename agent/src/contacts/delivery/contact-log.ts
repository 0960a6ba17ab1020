import type { Log } from "@realmwatch/shared/platform/log/log";
import type { DeliveryHooks } from "./delivery-hooks.ts";

/** Says when telling a contact begins to fail, why, and when it works again: one line each, not one an attempt. */
export function contactLog(log: Pick<Log, "info" | "warn">): DeliveryHooks {
  /** What went wrong last, by contact. */
  const failing = new Map<string, string>();
  return {
    attempted({ contact, type }, attempt) {
      if (attempt.kind === "delivered") {
        if (failing.delete(contact)) log.info({ contact, type }, "the contact can be told again");
        return;
      }
      const { reason, detail } = attempt;
      if (failing.get(contact) === reason) return;
      failing.set(contact, reason);
      log.warn({ contact, type, reason, detail }, "the contact could not be told");
    },
    ended() {},
  };
}
