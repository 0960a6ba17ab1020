import type { Author } from "./author.ts";
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

/** Mute of a contact, whose notifications are disabled meanwhile. Times are Unix ms. */
export type ContactMute = Author & {
  readonly contact: string;
  /** Reason; may be empty. */
  readonly comment: string;
  readonly atMs: number;
  /** Undefined when the mute lasts until it is undone. */
  readonly untilMs: number | undefined;
};

/** Policy with a level of which a contact is the only recipient. */
export type UncoveredPolicy = {
  readonly policy: string;
  /** First such level, from 1. Notifications are not escalated beyond it. */
  readonly level: number;
  /** Number of objects with this policy. */
  readonly objects: number;
};

/** Recipients of the objects of a contact while it is muted. */
export type RemainingRecipients = {
  /** Policies whose notifications would reach no contact, those of most objects first; a limited number of them. */
  readonly uncovered: readonly UncoveredPolicy[];
  /** Number of these policies, and of their objects. */
  readonly uncoveredPolicies: number;
  readonly uncoveredObjects: number;
  /** Other contacts of the same levels whose notifications are enabled; a limited number of them. */
  readonly others: readonly string[];
};

/** The mute of a contact as its view has it: blank while notifications are enabled. */
type ContactMuteView = {
  readonly notificationsEnabled: boolean;
  readonly mutedBy: string;
  readonly onBehalfOf: string;
  readonly mutedComment: string;
  readonly mutedAtMs: number | undefined;
  readonly mutedUntilMs: number | undefined;
};

/** Shows a mute in the view of its contact. */
export const muteView = (mute: ContactMute | undefined): ContactMuteView => ({
  notificationsEnabled: mute === undefined,
  mutedBy: mute?.author ?? "",
  onBehalfOf: mute?.onBehalfOf ?? "",
  mutedComment: mute?.comment ?? "",
  mutedAtMs: mute?.atMs,
  mutedUntilMs: mute?.untilMs,
});

export type ContactView = ContactDeliveryState &
  ContactMuteView & {
    readonly name: string;
    readonly type: string;
    readonly labels: Labels;
    readonly notificationPeriod: string;
    /** Undefined from an agent that does not compute it. */
    readonly remaining: RemainingRecipients | undefined;
  };
/** View that an operator saved. */
export type SavedView = {
  readonly name: string;
  readonly selector: string;
  readonly description: string;
  readonly author: string;
};
/** View that the configuration declares, which has no author, or that an operator saved. */
export type SelectorView = SavedView & { readonly saved: boolean };
/** Progress of a sink. */
export type SinkProgress = {
  /** Number of entries that are not delivered, including those that the sink has yet to compare with its selector. */
  readonly queued: number;
  /** Age of the oldest entry that is not delivered, ms; 0 when there is none. */
  readonly lagMs: number;
  /** Start of the present series of failed attempts, Unix ms; undefined while attempts succeed. */
  readonly failingSinceMs: number | undefined;
  /** Last failure; empty after a success. Contains no secret and no address. */
  readonly lastError: string;
  /** Time of the last delivery since the start of the agent, Unix ms; undefined when there was none. */
  readonly lastDeliveredMs: number | undefined;
};
export type SinkView = {
  readonly name: string;
  readonly type: string;
  readonly input: "metrics" | "events";
  /** Validated selector; empty selects all objects. */
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
  /** Percent, above 0 and at most 100. */
  readonly target: number;
  readonly period: string;
};

/** Configuration of a realm beside its objects, without secrets: no URL, header, address, key or command line. */
export type Catalog = {
  /** Empty on an agent. */
  readonly realm: string;
  readonly contacts: readonly ContactView[];
  readonly views: readonly SelectorView[];
  readonly sinks: readonly SinkView[];
  readonly panels: readonly PanelView[];
  readonly slos: readonly SloView[];
  readonly toggles: ProgramToggles;
};
