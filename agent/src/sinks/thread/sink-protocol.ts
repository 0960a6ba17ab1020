import type { SinkPlan } from "@realmwatch/shared/config/plan";
import type { SinkStatus } from "../runner/sink-health.ts";
import type { SinkObject } from "../sink-type.ts";

/** Data with which the thread of the sinks starts. */
export type SinkThreadData = {
  readonly dataDir: string;
  readonly realm: string;
  readonly lastHistorySeq: number;
  /** Networks to which no connection is opened, as `-outbound-deny` has them. */
  readonly outboundDeny: string;
  /** Beginning of the marks of programs; unique on this machine. */
  readonly programMark: string;
  /** Longest time that one action of a pair's member may take, ms; undefined for an agent without a pair. */
  readonly longestActionMs?: number | undefined;
  /** Positions of events that both members of a pair know, by sink; undefined for an agent without a pair. */
  readonly eventPositions?: ReadonlyMap<string, number> | undefined;
};

/**
 * Message to the thread of the sinks.
 *
 * - `samples`: performance data as JSON text `[object number, time, points][]`, and the objects whose numbers are new. It
 *   completes that of all commands up to `commandSeq`; 0 for no further one
 * - `objects`: definitions of objects by reference, for the selectors of events; `last` ends a list that begins with
 *   the first message after `configure`
 * - `configure`: the sinks that run from now on. `needsObjects`: a list of objects follows. `firstObject`: samples after
 *   this message use no lower number. `recovered`: samples of commands before the start, in order, of which the log may
 *   have some
 * - `right`: answer to a question for the remaining right to act, ms. `right_gained`: it was gained or prolonged
 */
export type SinkThreadMessage =
  | SamplesMessage
  | { readonly kind: "history"; readonly lastSeq: number }
  | {
      readonly kind: "configure";
      readonly sinks: readonly SinkPlan[];
      readonly needsObjects: boolean;
      readonly firstObject: number;
      readonly recovered: readonly SamplesMessage[];
    }
  | { readonly kind: "objects"; readonly objects: readonly SinkObject[]; readonly last: boolean }
  | { readonly kind: "right"; readonly remainingMs: number }
  | { readonly kind: "right_gained" }
  | { readonly kind: "reopen" }
  | { readonly kind: "stop"; readonly graceMs: number };

/** Message of one kind. */
export type MessageOf<K extends SinkThreadMessage["kind"]> = Extract<SinkThreadMessage, { readonly kind: K }>;

export type SamplesMessage = {
  readonly kind: "samples";
  readonly json: string;
  readonly points: number;
  readonly objects: readonly (readonly [number: number, object: SinkObject])[];
  readonly commandSeq: number;
};

/**
 * Report of the thread. `taken`: number of points of a message that is processed. `logged`: the points of all commands up
 * to `commandSeq` are in the log. `delivered`: next event of a sink with a cursor, in a pair. `diskBytes`: size of the metric log. `right_wanted`: question for the remaining right.
 */
export type SinkThreadReport =
  | { readonly kind: "taken"; readonly points: number }
  | { readonly kind: "logged"; readonly commandSeq: number }
  | { readonly kind: "delivered"; readonly sink: string; readonly position: number }
  | { readonly kind: "status"; readonly sinks: readonly SinkStatus[]; readonly diskBytes: number }
  | {
      readonly kind: "log";
      readonly level: "info" | "warn" | "error";
      readonly fields: Readonly<Record<string, unknown>>;
      readonly text: string;
    }
  | { readonly kind: "right_wanted" }
  | { readonly kind: "configured" }
  | { readonly kind: "stopped" };
