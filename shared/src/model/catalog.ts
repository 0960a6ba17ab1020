import type { Labels } from "./row.ts";
import type { ProgramToggles } from "./toggles.ts";

/** State of the deliveries to a contact. Times are Unix ms. */
export type ContactDeliveryState = {
  /** Number of notifications that wait for their delivery. */
  readonly queued: number;
  /** Time of the first failed attempt since the last delivery; undefined while deliveries succeed. */
  readonly failingSinceMs: number | undefined;
  /** Error of the last failed attempt, without secrets; empty when none failed. */
  readonly lastError: string;
  readonly lastDeliveredAtMs: number | undefined;
};

/** State of a contact without any delivery so far. */
export const noDeliveries: ContactDeliveryState = {
  queued: 0,
  failingSinceMs: undefined,
  lastError: "",
  lastDeliveredAtMs: undefined,
};

export type ContactView = ContactDeliveryState & {
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly notificationPeriod: string;
  readonly notificationsEnabled: boolean;
};
export type SavedView = { readonly name: string; readonly selector: string; readonly description: string };
/** Progress of a sink. */
export type SinkProgress = {
  /** Number of entries that are not delivered, including those that the sink has yet to compare with its selector. */
  readonly queued: number;
  /** Age of the oldest entry that is not delivered, ms; 0 when there is none. */
  readonly lagMs: number;
  /** Start of the present series of failed attempts, Unix ms; undefined while attempts succeed. */
  readonly failingSinceMs: number | undefined;
  /** Last failure; empty after a success. */
  readonly lastError: string;
  /** Time of the last delivery since the start of the agent, Unix ms; undefined when there was none. */
  readonly lastDeliveredMs: number | undefined;
};
export type SinkView = {
  readonly name: string;
  readonly type: string;
  readonly input: "metrics" | "events";
  readonly selector: string;
  /** Undefined before the sink has started. */
  readonly progress?: SinkProgress | undefined;
};
export type PanelView = {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly selector: string;
};
export type SloView = {
  readonly name: string;
  readonly selector: string;
  readonly target: number;
  readonly period: string;
};

/** Configuration of a realm beside its objects, without secrets: no URL, header, address, key or command line. */
export type Catalog = {
  /** Empty on an agent. */
  readonly realm: string;
  readonly contacts: readonly ContactView[];
  readonly views: readonly SavedView[];
  readonly sinks: readonly SinkView[];
  readonly panels: readonly PanelView[];
  readonly slos: readonly SloView[];
  readonly toggles: ProgramToggles;
};
