import type { CommandTemplate, ContactPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openProgramPool } from "../platform/programs/program-pool.ts";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import type { Attempt, ContactTools } from "./contact-type.ts";
import { sendTo } from "./contact-types.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import { messageOf } from "./delivery/digest.ts";
import { openMailRoom } from "./mail/smtp-pool.ts";
import { openPoster } from "./http/json-http-client.ts";

export const noSettings: DeliverySettings = {
  smtpUrl: undefined,
  smtpFrom: undefined,
  smtpPassword: undefined,
  messengerToken: undefined,
  incidentToken: undefined,
  messengerUrl: "http://127.0.0.1:9",
  pagerUrl: "http://127.0.0.1:9",
  incidentUrl: "http://127.0.0.1:9",
};

export const common = { name: "ann", labels: {}, notificationPeriod: "" } as const;

type Given = {
  readonly settings?: Partial<DeliverySettings>;
  readonly extraAuthorities?: string;
  readonly publicUrl?: string | undefined;
  readonly commands?: Readonly<Record<string, CommandTemplate>>;
  readonly resources?: Readonly<Record<string, string>>;
};

/** Real tools, and one attempt with them. Disposing leaves nothing behind. */
export function openTestTools(given: Given = {}) {
  const clock = systemClock;
  const resolver = openNameResolver({ clock });
  const settings = { ...noSettings, ...given.settings };
  const { extraAuthorities, commands = {}, resources = {} } = given;
  const publicUrl = "publicUrl" in given ? given.publicUrl : "https://mon.example.org";
  const tools: ContactTools = {
    clock,
    sender: { realm: "fra", publicUrl },
    settings,
    post: openPoster({ clock, resolver, extraAuthorities }),
    mail: openMailRoom({ clock, resolver, settings, extraAuthorities }),
    programs: openProgramPool({ clock }),
    commands: () => commands,
    resources: () => resources,
  };
  return {
    tools,
    send: (contact: ContactPlan, told: readonly Notification[], patienceMs = 10_000): Promise<Attempt> =>
      sendTo(contact, messageOf(told), tools, AbortSignal.timeout(patienceMs)),
    async [Symbol.asyncDispose]() {
      await Promise.all([tools.post.close(), tools.mail.close(), tools.programs.close()]);
    },
  };
}
