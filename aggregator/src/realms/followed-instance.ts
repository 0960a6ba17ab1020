/** Agent processes that publish one realm, as an aggregator hears them. Times are monotonic, ms. */
export type InstanceState = {
  /** Instance whose rows and commands count; undefined before the first heartbeat. */
  readonly followed: { readonly instance: string; readonly atMs: number } | undefined;
  /** Another instance that was heard last. */
  readonly other: { readonly instance: string; readonly atMs: number } | undefined;
};

export const noInstance: InstanceState = { followed: undefined, other: undefined };

/**
 * State before the first heartbeat: the instance that another aggregator, or this one before its restart, followed last.
 * An agent that it does not follow would otherwise be followed only because its heartbeat arrives first.
 */
export const sharedInstance = (instance: string, atMs: number | undefined): InstanceState =>
  instance === "" || atMs === undefined ? noInstance : { followed: { instance, atMs }, other: undefined };

export type HeardInstance = {
  readonly instance: string;
  /** Instance of the same agent before its last start; empty when unknown. */
  readonly previousInstance: string;
  readonly atMs: number;
};

/**
 * [FD6] State after a heartbeat. The followed instance stays until it is silent for `silentAfterMs`, or until its
 * successor after a restart is heard.
 */
export function stateAfterHeard(state: InstanceState, heard: HeardInstance, silentAfterMs: number): InstanceState {
  const { followed } = state;
  const { instance, atMs } = heard;
  const isSuccessor = heard.previousInstance !== "" && heard.previousInstance === followed?.instance;
  if (followed === undefined || followed.instance === instance || isSuccessor)
    return { followed: { instance, atMs }, other: state.other?.instance === instance ? undefined : state.other };
  if (atMs - followed.atMs > silentAfterMs) return { followed: { instance, atMs }, other: undefined };
  return { followed, other: { instance, atMs } };
}

/** Two instances that publish the realm at the same time: the followed one was heard after the other one. */
export function duplicateOf({ followed, other }: InstanceState): readonly [string, string] | undefined {
  if (followed === undefined || other === undefined || followed.atMs < other.atMs) return undefined;
  return [followed.instance, other.instance];
}
