import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { Status } from "@realmwatch/shared/model/status";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import type { ImportItem, SourceLine } from "../import-report.ts";

/** Notifications about a problem that is open. */
export type RetainedNotifications = {
  /** Number of notifications so far, at least 1. */
  readonly number: number;
  /** Time of the last one, Unix ms; undefined when it is not known. */
  readonly lastAtMs: number | undefined;
  /** True for a contact that was notified; undefined when only the number of notifications is known. */
  readonly isNotified?: ((contact: string) => boolean) | undefined;
};

/** The last check result of an object, and what followed from it. Times are Unix ms, undefined for never. */
export type RetainedStatus = {
  readonly status: Status;
  readonly isHard: boolean;
  readonly attempt: number;
  /** Hard status before the present soft problem. */
  readonly lastHardStatus: Status;
  /** Status before the last result; undefined when that was the first result. */
  readonly previousStatus: Status | undefined;
  readonly output: string;
  readonly longOutput: string;
  readonly checkedAtMs: number | undefined;
  readonly lastOkAtMs: number | undefined;
  readonly changedAtMs: number | undefined;
  readonly hardChangedAtMs: number | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
  /** Undefined when no contact was notified. */
  readonly notifications: RetainedNotifications | undefined;
};

/** Place in a retention file, with the kind of what stands there, such as `host`. */
export type RetainedPart = { readonly source: SourceLine; readonly kind: string };

/** Variable state of an object, as another system stored it. */
export type RetainedObject = {
  /** Parts that are lost when the document lacks the object. */
  readonly parts: readonly RetainedPart[];
  /** Undefined without a check result. */
  readonly status: RetainedStatus | undefined;
  readonly comments: readonly Comment[];
  /** Downtimes that have not ended. */
  readonly downtimes: readonly Downtime[];
  /** Toggles that were turned off at run time. */
  readonly togglesOff: readonly (keyof ObjectToggles)[];
};

/** Objects of a retention file by reference, and findings about what is not taken over. */
export type RetainedStates = {
  readonly objects: ReadonlyMap<string, RetainedObject>;
  readonly items: readonly ImportItem[];
};
