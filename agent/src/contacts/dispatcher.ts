import type { Notification } from "@realmwatch/shared/model/notification";
import type { NameResolver } from "../platform/dns/name-resolver.ts";
import type { ContactDependencies } from "./contact-type.ts";
import { attemptDeadlineMs, sendHeartbeatToContact, sendToContact } from "./contact-types.ts";
import { type DeliveryOptions, openDelivery } from "./delivery/delivery.ts";
import { isAcknowledgeable } from "./format/object-links.ts";
import { type ContactHeartbeatsOptions, openContactHeartbeats } from "./heartbeat/contact-heartbeats.ts";
import { openJsonHttpClient } from "./http/json-http-client.ts";
import { openSmtpPool } from "./mail/smtp-pool.ts";

export type DispatcherOptions = Omit<DeliveryOptions, "deadlineMsOf" | "send"> &
  Pick<ContactDependencies, "settings" | "programs" | "commands" | "resources"> & {
    readonly realm: string;
    /** URL of the dashboard, without a trailing slash. */
    readonly publicUrl: string | undefined;
    readonly resolver: NameResolver;
    /** Signs the links of notifications about problems, by notification id; undefined where links are not signed. */
    signLinks?(notifications: readonly Notification[]): Promise<ReadonlyMap<string, string>>;
    /** PEM of authorities to trust beside the system's. */
    readonly extraAuthorities?: string;
  };

export type Dispatcher = ReturnType<typeof openDispatcher>;

/**
 * Delivers notifications, from the durable decision to the end of the delivery. `enqueue` takes durable notifications
 * only: those without an end when the process dies are enqueued again at the next start, under the same ids.
 */
export function openDispatcher(options: DispatcherOptions) {
  const { clock, realm, publicUrl, settings, programs, commands, resources, resolver, extraAuthorities } = options;
  const http = openJsonHttpClient({ clock, resolver, extraAuthorities });
  const smtp = openSmtpPool({ clock, resolver, settings, extraAuthorities });
  const origin = { realm, publicUrl };
  const dependencies: ContactDependencies = { clock, origin, settings, http, smtp, programs, commands, resources };
  const delivery = openDelivery({
    ...options,
    deadlineMsOf: attemptDeadlineMs,
    async send(contact, message, signal) {
      const problemLinks = await options.signLinks?.(message.notifications.filter(isAcknowledgeable));
      const linked = problemLinks === undefined ? origin : { ...origin, problemLinks };
      return sendToContact(contact, message, { ...dependencies, origin: linked }, signal);
    },
  });
  let heartbeats: ReturnType<typeof openContactHeartbeats> | undefined;
  return {
    ...delivery,
    /** Begins to send heartbeats. */
    startHeartbeats(given: Pick<ContactHeartbeatsOptions, "probe" | "version" | "sent">) {
      heartbeats = openContactHeartbeats({
        ...options,
        ...given,
        deadlineMsOf: attemptDeadlineMs,
        send: (contact, heartbeat, signal) => sendHeartbeatToContact(contact, heartbeat, dependencies, signal),
      });
    },
    reload() {
      delivery.reload();
      heartbeats?.reload();
    },
    /**
     * Starts no further attempt and gives running ones `graceMs` to finish. Notifications that have no end by then get
     * none in this process; the next start delivers them.
     */
    async close(graceMs: number) {
      heartbeats?.close();
      await delivery.close(graceMs);
      await Promise.all([http.close(), smtp.close()]);
    },
  };
}
