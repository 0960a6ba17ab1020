import { heartbeatIntervalMs } from "@realmwatch/shared/wire/nats/nats-subjects";

/** Agent processes that publish one realm, as an aggregator hears them. Times are monotonic, ms. */
export type InstanceState = {
  /** Instance whose rows and commands count; undefined before the first heartbeat. */
  readonly followed: FollowedInstance | undefined;
  /** Another instance that was heard last. */
  readonly other: { readonly instance: string; readonly atMs: number } | undefined;
};

type FollowedInstance = {
  readonly instance: string;
  readonly atMs: number;
  /** True after its last heartbeat, which says that its process stops. */
  readonly hasLeft: boolean;
};

export const noInstance: InstanceState = { followed: undefined, other: undefined };

/**
 * State before the first heartbeat: the instance that another aggregator, or this one before its restart, followed last.
 * An agent that it does not follow would otherwise be followed only because its heartbeat arrives first.
 */
export const sharedInstance = (instance: string, atMs: number | undefined): InstanceState =>
  instance === "" || atMs === undefined
    ? noInstance
    : { followed: { instance, atMs, hasLeft: false }, other: undefined };

type HeardInstance = {
  readonly instance: string;
  /** Instance of the same agent before its last start; empty when unknown. */
  readonly previousInstance: string;
  /** The process stops: this is its last heartbeat. */
  readonly isLeaving: boolean;
  readonly atMs: number;
};

/**
 * Silence of the followed instance after which an agent that names it as its previous one is followed, ms: it has missed
 * a regular heartbeat.
 */
const successorAfterMs = 1.5 * heartbeatIntervalMs;

/**
 * [FD6, FD81] State after a heartbeat. The followed instance stays until it is silent for `silentAfterMs`. Its successor
 * after a restart waits only until it has left or has missed a heartbeat: an agent on a copy of its data directory names
 * the same predecessor, which is then heard.
 */
export function stateAfterHeard(state: InstanceState, heard: HeardInstance, silentAfterMs: number): InstanceState {
  const { followed, other } = state;
  const { instance, atMs, isLeaving } = heard;
  const isOther = followed !== undefined && followed.instance !== instance;
  if (isOther && !mayReplace(followed, heard, silentAfterMs))
    return { followed, other: isLeaving ? undefined : { instance, atMs } };
  return {
    followed: { instance, atMs, hasLeft: isLeaving },
    other: other?.instance === instance ? undefined : other,
  };
}

function mayReplace(followed: FollowedInstance, heard: HeardInstance, silentAfterMs: number): boolean {
  const silentMs = heard.atMs - followed.atMs;
  const isSuccessor = heard.previousInstance === followed.instance;
  return silentMs > silentAfterMs || (isSuccessor && (followed.hasLeft || silentMs > successorAfterMs));
}

/**
 * Two instances that publish the realm at the same time, of which the followed one was heard after the other one.
 * `atMs` is the time at which both were last known to live.
 */
export function duplicateOf({
  followed,
  other,
}: InstanceState): { readonly followed: string; readonly other: string; readonly atMs: number } | undefined {
  if (followed === undefined || other === undefined || followed.atMs < other.atMs) return undefined;
  return { followed: followed.instance, other: other.instance, atMs: other.atMs };
}
