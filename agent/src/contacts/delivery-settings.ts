import type { Secret } from "@realmwatch/shared/platform/flags/secret";

/** Settings for all contacts of a type: flags of the agent by their names, never part of the configuration. */
export type DeliverySettings = {
  /** `smtp://user@host:port`; see `parseSmtpUrl`. */
  readonly smtpUrl: string | undefined;
  readonly smtpFrom: string | undefined;
  readonly smtpPassword: Secret | undefined;
  readonly messengerToken: Secret | undefined;
  readonly incidentToken: Secret | undefined;
  /** Base URLs, without a trailing slash. */
  readonly messengerUrl: string | undefined;
  readonly pagerUrl: string | undefined;
  readonly incidentUrl: string | undefined;
};
