import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { allowAllOutbound, type OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import type { AttemptResult } from "../platform/outbound/delivery-result.ts";
import { openProgramPool } from "../platform/programs/program-pool.ts";
import type { ContactDependencies } from "./contact-type.ts";
import { sendToContact } from "./contact-types.ts";
import { toContactMessage } from "./delivery/digest.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import { openJsonHttpClient } from "./http/json-http-client.ts";
import { openSmtpPool } from "./mail/smtp-pool.ts";

export const noDeliverySettings: DeliverySettings = {
  smtpUrl: undefined,
  smtpFrom: undefined,
  smtpPassword: undefined,
  messengerToken: undefined,
  incidentToken: undefined,
  messengerUrl: "http://127.0.0.1:9",
  pagerUrl: "http://127.0.0.1:9",
  incidentUrl: "http://127.0.0.1:9",
};

export const commonContactFields = { name: "ann", labels: {}, notificationPeriod: "" } as const;

type Given = {
  readonly settings?: Partial<DeliverySettings>;
  readonly outbound?: OutboundPolicy;
  readonly extraAuthorities?: string;
  readonly publicUrl?: string | undefined;
  readonly commands?: Readonly<Record<string, CommandTemplate>>;
  readonly resources?: Readonly<Record<string, string>>;
};

/** Real dependencies of contact types, and one attempt with them. Disposing closes all of them. */
export function openTestContactDependencies(given: Given = {}) {
  const clock = systemClock;
  const resolver = openNameResolver({ clock, outbound: given.outbound ?? allowAllOutbound });
  const settings = { ...noDeliverySettings, ...given.settings };
  const { extraAuthorities, commands = {}, resources = {} } = given;
  const publicUrl = "publicUrl" in given ? given.publicUrl : "https://mon.example.org";
  const dependencies: ContactDependencies = {
    clock,
    origin: { realm: "fra", publicUrl },
    settings,
    http: openJsonHttpClient({ clock, resolver, extraAuthorities }),
    smtp: openSmtpPool({ clock, resolver, settings, extraAuthorities }),
    programs: openProgramPool({ clock }),
    commands: () => commands,
    resources: () => resources,
  };
  return {
    dependencies,
    send: (contact: ContactPlan, notifications: readonly Notification[], timeoutMs = 10_000): Promise<AttemptResult> =>
      sendToContact(contact, toContactMessage(notifications), dependencies, AbortSignal.timeout(timeoutMs)),
    async [Symbol.asyncDispose]() {
      await Promise.all([dependencies.http.close(), dependencies.smtp.close(), dependencies.programs.close()]);
    },
  };
}
