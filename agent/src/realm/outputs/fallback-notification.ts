import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { hashId } from "./notification-id.ts";

/** Names of the contacts that a contact falls back to, nearest first. */
export function fallbacksOf(contact: string, { contacts }: Pick<RealmPlan, "contacts">): readonly string[] {
  const names: string[] = [];
  for (let next = contacts.get(contact)?.fallback; next !== undefined; next = contacts.get(next.contact)?.fallback)
    names.push(next.contact);
  return names;
}

/** The notification that takes the place of one that its contact did not receive. */
export function fallbackNotification(failed: Notification, { to, atMs }: { to: string; atMs: number }): Notification {
  const { fallbacksNotified: _, fallbackUsed: _used, possibleDuplicate: _duplicate, ...rest } = failed;
  return {
    ...rest,
    id: hashId([failed.id, "fallback", to]),
    contact: to,
    comment: [failed.comment, explanation(failed, { to, atMs })].filter(Boolean).join("\n"),
    fallbackFor: [...(failed.fallbackFor ?? []), failed.contact],
    atMs,
  };
}

function explanation(failed: Notification, { to, atMs }: { to: string; atMs: number }): string {
  const waited = formatDuration(Math.max(1_000, Math.round((atMs - failed.atMs) / 1_000) * 1_000));
  return `Contact "${failed.contact}" has not received this notification for ${waited}; "${to}" is its fallback.`;
}
