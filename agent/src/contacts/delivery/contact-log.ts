import type { Log } from "@realmwatch/shared/platform/log/log";
import type { DeliveryHooks } from "./delivery-hooks.ts";

/** Logs when deliveries to a contact begin to fail and why, and when they succeed again: once each, not per attempt. */
export function contactLog(log: Pick<Log, "info" | "warn">): DeliveryHooks {
  /** Reason of the last failure, by contact. */
  const failing = new Map<string, string>();
  return {
    attempted({ contact, type }, result) {
      if (result.kind === "delivered") {
        if (failing.delete(contact)) log.info({ contact, type }, "deliveries to the contact succeed again");
        return;
      }
      const { reason, detail } = result;
      if (failing.get(contact) === reason) return;
      failing.set(contact, reason);
      log.warn({ contact, type, reason, detail }, "the delivery to the contact failed");
    },
    ended() {},
  };
}
