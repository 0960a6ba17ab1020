import type { CommandTemplate, ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { NameResolver } from "../platform/dns/name-resolver.ts";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { ContactDependencies } from "./contact-type.ts";
import { attemptDeadlineMs, sendToContact } from "./contact-types.ts";
import { type Delivery, openDelivery } from "./delivery/delivery.ts";
import type { DeliveryHooks } from "./delivery/delivery-hooks.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import { openJsonHttpClient } from "./http/json-http-client.ts";
import { openSmtpPool } from "./mail/smtp-pool.ts";

export type DispatcherOptions = {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly realm: string;
  /** URL of the dashboard, without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly settings: DeliverySettings;
  readonly programs: ProgramRunner;
  readonly resolver: NameResolver;
  /** Contacts of the running configuration; read again before each attempt. */
  contacts(): ReadonlyMap<string, ContactPlan>;
  commands(): Readonly<Record<string, CommandTemplate>>;
  resources(): Readonly<Record<string, string>>;
  /**
   * Called once for each notification, which the dispatcher then forgets. Resolves when the end will survive a crash:
   * the contact's next message waits for it. Must not reject.
   */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  readonly hooks: DeliveryHooks;
  /** PEM of authorities to trust beside the system's. */
  readonly extraAuthorities?: string;
};

/**
 * Delivers notifications, from the durable decision to the end of the delivery. `enqueue` takes durable notifications
 * only: those without an end when the process dies are enqueued again at the next start, under the same ids.
 */
export type Dispatcher = Omit<Delivery, "close"> & {
  /**
   * Starts no further attempt and gives running ones `graceMs` to finish. Notifications that have no end by then get
   * none in this process; the next start delivers them.
   */
  close(graceMs: number): Promise<void>;
};

export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, random, realm, publicUrl, settings, programs, resolver, extraAuthorities } = options;
  const http = openJsonHttpClient({ clock, resolver, extraAuthorities });
  const smtp = openSmtpPool({ clock, resolver, settings, extraAuthorities });
  const { commands, resources } = options;
  const origin = { realm, publicUrl };
  const dependencies: ContactDependencies = { clock, origin, settings, http, smtp, programs, commands, resources };
  const delivery = openDelivery({
    clock,
    random,
    contacts: options.contacts,
    deadlineMsOf: attemptDeadlineMs,
    send: (contact, message, signal) => sendToContact(contact, message, dependencies, signal),
    ended: options.ended,
    hooks: options.hooks,
  });
  return {
    ...delivery,
    async close(graceMs) {
      await delivery.close(graceMs);
      await Promise.all([http.close(), smtp.close()]);
    },
  };
}
