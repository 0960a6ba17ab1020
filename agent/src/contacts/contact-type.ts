import type { CommandTemplate, ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { DeliverySettings } from "./delivery-settings.ts";
import type { MailRoom } from "./mail/smtp-pool.ts";
import type { Poster } from "./http/json-http-client.ts";

/** Why an attempt did not succeed; a metric's label. */
export type AttemptFailure =
  | "timeout"
  | "connect"
  | "dns"
  | "tls"
  | "rate_limited"
  | "server"
  | "refused"
  | "setup"
  | "program";

/**
 * What became of one attempt. Only `retry` is worth another one; `afterMs` is the receiver's own wish. `detail` is for
 * people and holds no secret: no address, no token, nothing of a request.
 */
export type Attempt =
  | { readonly kind: "delivered" }
  | { readonly kind: "rejected"; readonly reason: AttemptFailure; readonly detail: string }
  | Retry;
export type Retry = {
  readonly kind: "retry";
  readonly reason: AttemptFailure;
  readonly detail: string;
  /** ms, at least 0. */
  readonly afterMs?: number | undefined;
};

export const delivered: Attempt = { kind: "delivered" };
export const reject = (reason: AttemptFailure, detail: string): Attempt => ({ kind: "rejected", reason, detail });
export const retry = (reason: AttemptFailure, detail: string, afterMs?: number): Retry => ({
  kind: "retry",
  reason,
  detail,
  afterMs,
});

/** What leaves at once: one notification, or several as a digest. */
export type Message = {
  /** The same for every attempt, also after a crash. */
  readonly id: string;
  /** At least one; those of a digest are in the order in which they are shown. */
  readonly notifications: readonly Notification[];
};

/** What every message says beside what happened. */
export type Sender = {
  readonly realm: string;
  /** Where people reach the dashboard, without a slash at the end; `undefined`: messages have no links. */
  readonly publicUrl: string | undefined;
};

/** All that a contact type may touch. */
export type ContactTools = {
  readonly clock: Clock;
  readonly sender: Sender;
  readonly settings: DeliverySettings;
  readonly post: Poster;
  readonly mail: MailRoom;
  readonly programs: ProgramRunner;
  commands(): Readonly<Record<string, CommandTemplate>>;
  /** Values of `$USERn$`. */
  resources(): Readonly<Record<string, string>>;
};

export type PlanOf<T extends ContactPlan["type"]> = Extract<ContactPlan, { readonly type: T }>;

/** How a type is dealt with by the queue. */
export type Handling = {
  /** How long one attempt may take, ms. */
  readonly deadlineMs: number;
};

/** One way to tell somebody. `send` never rejects, and settles soon after `signal` aborts. */
export interface ContactType<T extends ContactPlan["type"]> extends Handling {
  readonly type: T;
  send(contact: PlanOf<T>, message: Message, tools: ContactTools, signal: AbortSignal): Promise<Attempt>;
}
