import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import type { AttemptResult } from "../platform/outbound/delivery-result.ts";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { ContactMessage, MessageOrigin } from "./contact-message.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import type { JsonHttpClient } from "./http/json-http-client.ts";
import type { SmtpPool } from "./mail/smtp-pool.ts";

/** Everything that a contact type may use. */
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

/** Compiled configuration of a contact of type `T`. */
export type ContactPlanOf<T extends ContactPlan["type"]> = Extract<ContactPlan, { readonly type: T }>;

/** Sign of life of the agent for one contact. */
export type HeartbeatMessage = {
  readonly id: string;
  readonly realm: string;
  /** Version of the agent. */
  readonly version: string;
  /** Unix ms. */
  readonly atMs: number;
};

/** Kind of a heartbeat, beside the kinds of notifications. */
export const heartbeatKind = "HEARTBEAT";

/** Way to notify a contact. `send` makes one attempt, never rejects, and settles soon after `signal` aborts. */
export interface ContactType<T extends ContactPlan["type"]> {
  readonly type: T;
  /** Longest duration of one attempt, ms; the queue then aborts it and retries. */
  readonly deadlineMs: number;
  /** Part of the deadline for which an attempt may wait for a free slot, ms. Default: 0. */
  readonly slotWaitMs?: number;
  send(
    contact: ContactPlanOf<T>,
    message: ContactMessage,
    dependencies: ContactDependencies,
    signal: AbortSignal,
  ): Promise<AttemptResult>;
  /** Makes one attempt to send a heartbeat, as `send` does; absent for types without heartbeats. */
  sendHeartbeat?(
    contact: ContactPlanOf<T>,
    heartbeat: HeartbeatMessage,
    dependencies: ContactDependencies,
    signal: AbortSignal,
  ): Promise<AttemptResult>;
}
