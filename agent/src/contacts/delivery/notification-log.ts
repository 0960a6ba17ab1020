import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import type { ContactIdentity } from "./delivery-reports.ts";

/** Logs what becomes of each notification. A message says `delivered` only when a receiver took it. */
export function notificationLog(log: Pick<Log, "info" | "warn">) {
  /** Reason of the last failure, by contact. */
  const failing = new Map<string, string>();
  const failingHeartbeats = new Set<string>();
  return {
    queued(notifications: readonly Notification[]) {
      for (const { fallbackFor, ...notification } of notifications)
        log.info({ ...fieldsOf(notification), ...(fallbackFor && { fallbackFor }) }, "notification queued");
    },
    ended(ends: readonly CompletedDelivery[]) {
      for (const { notification, outcome, detail } of ends) {
        const fields = fieldsOf(notification);
        if (outcome === "delivered") log.info(fields, "notification delivered");
        else if (outcome === "failed") log.warn({ ...fields, detail }, "notification given up");
        else log.info(fields, "notification cancelled: its problem ended within the same digest");
      }
    },
    overdue(notifications: readonly Notification[]) {
      for (const notification of notifications)
        log.warn(fieldsOf(notification), "notification not delivered in time: the fallback of the contact takes over");
    },
    /** Logs when deliveries to a contact begin to fail and why, and when they succeed again: once each, not per attempt. */
    attempted({ contact, type }: ContactIdentity, result: AttemptResult) {
      if (result.kind === "delivered") {
        if (failing.delete(contact)) log.info({ contact, type }, "deliveries to the contact succeed again");
        return;
      }
      const { reason, detail } = result;
      if (failing.get(contact) === reason) return;
      failing.set(contact, reason);
      log.warn({ contact, type, reason, detail }, "the delivery to the contact failed");
    },
    /** Logs heartbeats that begin to fail, and that succeed again: once each. */
    heartbeat(contact: string, result: AttemptResult) {
      if (result.kind === "delivered") {
        if (failingHeartbeats.delete(contact)) log.info({ contact }, "heartbeats to the contact succeed again");
      } else if (!failingHeartbeats.has(contact)) {
        failingHeartbeats.add(contact);
        log.warn({ contact, reason: result.reason, detail: result.detail }, "the heartbeat to the contact failed");
      }
    },
  };
}

const fieldsOf = ({ contact, kind, key, id }: Pick<Notification, "contact" | "kind" | "key" | "id">) => ({
  ...{ contact, kind, object: refOf(key), notification: id },
});
