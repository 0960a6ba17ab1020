import type { CommandTemplate, ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { AttemptResult } from "./attempt-result.ts";
import type { ContactMessage, MessageOrigin } from "./contact-message.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import type { JsonHttpClient } from "./http/json-http-client.ts";
import type { SmtpPool } from "./mail/smtp-pool.ts";

/** All that a contact type may touch. */
export type ContactDependencies = {
  readonly clock: Clock;
  readonly origin: MessageOrigin;
  readonly settings: DeliverySettings;
  readonly http: JsonHttpClient;
  readonly smtp: SmtpPool;
  readonly programs: ProgramRunner;
  commands(): Readonly<Record<string, CommandTemplate>>;
  /** Values of `$USERn$`. */
  resources(): Readonly<Record<string, string>>;
};

export type ContactPlanOf<T extends ContactPlan["type"]> = Extract<ContactPlan, { readonly type: T }>;

/** How a type is dealt with by the queue. */
export type Handling = {
  /** How long one attempt may take, ms. */
  readonly deadlineMs: number;
};

/** One way to tell somebody. `send` never rejects, and settles soon after `signal` aborts. */
export interface ContactType<T extends ContactPlan["type"]> extends Handling {
  readonly type: T;
  send(contact: ContactPlanOf<T>, message: ContactMessage, tools: ContactDependencies, signal: AbortSignal): Promise<AttemptResult>;
}
