import type { CommandTemplate, ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { NameResolver } from "../platform/dns/name-resolver.ts";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { ContactDependencies } from "./contact-type.ts";
import { handlingOf, sendToContact } from "./contact-types.ts";
import { type Delivery, openDelivery } from "./delivery/delivery.ts";
import type { DeliveryHooks } from "./delivery/delivery-hooks.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import { openJsonHttpClient } from "./http/json-http-client.ts";
import { openSmtpPool } from "./mail/smtp-pool.ts";

export type DispatcherOptions = {
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly realm: string;
  /** Where people reach the dashboard, without a slash at the end. */
  readonly publicUrl: string | undefined;
  readonly settings: DeliverySettings;
  readonly programs: ProgramRunner;
  readonly resolver: NameResolver;
  /** Those of the running configuration; asked again before each attempt. */
  contacts(): ReadonlyMap<string, ContactPlan>;
  commands(): Readonly<Record<string, CommandTemplate>>;
  resources(): Readonly<Record<string, string>>;
  /**
   * Called once for each notification, after which nothing of it is kept here. Resolves when the end will survive a
   * crash: the contact's next message waits for it. Must not reject.
   */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  readonly hooks: DeliveryHooks;
  /** PEM of authorities to trust beside the system's. */
  readonly extraAuthorities?: string;
};

/**
 * Everything from a decided notification to its end. `take` is for what is durable: whatever has no end when the
 * process dies is to be taken again, under the same ids.
 */
export type Dispatcher = Omit<Delivery, "close"> & {
  /**
   * Starts nothing any more; what is on its way may take `graceMs` to arrive. What has no end then never gets one
   * here: it is for the next start.
   */
  close(graceMs: number): Promise<void>;
};

export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, chance, realm, publicUrl, settings, programs, resolver, extraAuthorities } = options;
  const post = openJsonHttpClient({ clock, resolver, extraAuthorities });
  const mail = openSmtpPool({ clock, resolver, settings, extraAuthorities });
  const { commands, resources } = options;
  const sender = { realm, publicUrl };
  const tools: ContactDependencies = { clock, origin, settings, http, smtp, programs, commands, resources };
  const delivery = openDelivery({
    clock,
    chance,
    contacts: options.contacts,
    handlingOf,
    send: (contact, message, signal) => sendToContact(contact, message, tools, signal),
    ended: options.ended,
    hooks: options.hooks,
  });
  return {
    ...delivery,
    async close(graceMs) {
      await delivery.close(graceMs);
      await Promise.all([post.close(), mail.close()]);
    },
  };
}
