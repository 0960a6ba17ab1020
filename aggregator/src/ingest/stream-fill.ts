import type { StreamPlan } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { StreamInfo } from "nats";

/** Used and maximum size of a stream, bytes. `maxBytes`: Infinity when an operator has set no maximum. */
export type StreamFill = {
  readonly plan: StreamPlan;
  readonly bytes: number;
  readonly maxBytes: number;
  /** Time at which the stream was made, to the nanosecond, as NATS formats it. */
  readonly createdAt: string;
};

/** Part of its size from which on a stream that refuses messages when full is reported, in (0, 1). */
const alarmAt = 0.8;

export const streamFill = (plan: StreamPlan, { config, state, created }: StreamInfo): StreamFill => ({
  plan,
  bytes: state.bytes,
  maxBytes: config.max_bytes > 0 ? config.max_bytes : Number.POSITIVE_INFINITY,
  createdAt: created,
});

const percentOf = ({ bytes, maxBytes }: StreamFill): number => Math.floor((bytes / maxBytes) * 100);

/** Short text for `/readyz`: `SVC_STATE is 12 % full`. */
export const formatFill = (fill: StreamFill): string => `${fill.plan.name} is ${percentOf(fill)} % full`;

/**
 * Warning about a stream that will refuse messages soon; undefined for any other stream. A stream that deletes its oldest
 * messages is usually full, which needs no warning.
 */
export function fillWarning(fill: StreamFill): string | undefined {
  const { plan, bytes, maxBytes } = fill;
  if (plan.discard === "old" || bytes < maxBytes * alarmAt) return undefined;
  const mib = (value: number): number => Math.ceil(value / 1024 ** 2);
  return `${formatFill(fill)} (${mib(bytes)} of ${mib(maxBytes)} MiB) and refuses new rows when it is full: raise its max_bytes`;
}
