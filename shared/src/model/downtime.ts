import type { Author } from "./author.ts";

/** Window in which a flexible or triggered downtime is or was in effect, [fromMs, untilMs), Unix ms. */
export type Activation = { readonly fromMs: number; readonly untilMs: number };

/** Condition under which a downtime comes into effect. `active` is undefined until then. */
export type DowntimeShape =
  | { readonly kind: "fixed" }
  | { readonly kind: "flexible"; readonly durationMs: number; readonly active: Activation | undefined }
  | { readonly kind: "triggered"; readonly triggeredBy: string; readonly active: Activation | undefined }
  | { readonly kind: "recurring"; readonly name: string };

/** A downtime of one object. Times are Unix ms; a fixed one is in effect in [startMs, endMs). */
export type Downtime = Author & {
  readonly id: string;
  readonly shape: DowntimeShape;
  readonly startMs: number;
  readonly endMs: number;
  readonly comment: string;
  readonly inEffect: boolean;
  /** The change that it was scheduled with; undefined for a recurring one, and for one of an earlier version. */
  readonly changeId?: string | undefined;
};

/** Window of a downtime as far as it is known: until its activation that in which it may begin. */
export const knownWindow = ({ shape, startMs, endMs }: Downtime): Activation =>
  (shape.kind === "flexible" || shape.kind === "triggered") && shape.active !== undefined
    ? shape.active
    : { fromMs: startMs, untilMs: endMs };

/** The change that a downtime belongs to: one without is its own. */
export const changeOf = ({ id, changeId }: Pick<Downtime, "id" | "changeId">): string => changeId || id;

/** Prefix of the id of a configured recurring downtime; the downtime's name follows. */
export const recurringIdPrefix = "recurring:";
