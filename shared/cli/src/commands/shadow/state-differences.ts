import { isProblem } from "@realmwatch/shared/model/status";
import type { DesignReason } from "./by-design.ts";
import type { Dialect, Observation, ObservedObject } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";

/** Difference between the two systems. Times are RFC 3339. */
export type ShadowDifference = {
  readonly object: string;
  /** `object`: only one system has it. `state`: after the same result. `notification`: only one system notified. */
  readonly kind: "object" | "state" | "notification";
  /** State or notification at the other system; empty when it has none. */
  readonly other: string;
  readonly agent: string;
  /** Circumstances at the other system that can be the cause. */
  readonly circumstances: readonly string[];
  readonly since: string;
  /** Time at which the difference was gone; absent while it lasts. */
  readonly until?: string;
};

export const instantText = (ms: number): string => new Date(ms).toISOString();

/** State as both systems have it: `ok`, `critical soft 2`, `critical hard`. */
function stateText({ status, isHard, attempt }: ObservedObject | ShadowedObject): string {
  if (!isProblem(status)) return status;
  return isHard ? `${status} hard` : `${status} soft ${attempt}`;
}

type StateReason = Exclude<DesignReason, "repetition">;

const isDownHost = ({ ref, status }: ObservedObject): boolean => !ref.includes("!") && status !== "ok";

const isSoftThereOnly = (observed: ObservedObject, own: ShadowedObject): boolean =>
  isProblem(observed.status) && observed.status === own.status && !observed.isHard && own.isHard;

/** Hosts that are or were not ok at the other system; those in a soft state apart. */
type DownHosts = { readonly dialect: Dialect; readonly all: ReadonlySet<string>; readonly soft: ReadonlySet<string> };

/** [SH16] Reason of a problem of a service that is soft there and hard here; undefined when it is a difference. */
function reasonOfSoft(
  { ref, wasHardProblem }: ObservedObject,
  { maxAttempts }: ShadowedObject,
  { dialect, all }: DownHosts,
): StateReason | undefined {
  const [host = "", service] = ref.split("!", 2);
  if (service === undefined || maxAttempts === 1) return undefined;
  if (dialect === "nagios") return wasHardProblem ? "soft_again" : undefined;
  return all.has(host) ? "hard_behind_host" : undefined;
}

/** True for a host that is down there and unreachable here, with the same attempts. */
const isDownThereOnly = (observed: ObservedObject, own: ShadowedObject): boolean =>
  observed.status === "critical" &&
  own.status === "unreachable" &&
  observed.isHard === own.isHard &&
  (own.isHard || observed.attempt === own.attempt);

/** [SH16] Reason why such a host differs: all parents that suppress it here are soft there. */
const reasonOfDown = ({ suppressedBy }: ShadowedObject, { dialect, soft }: DownHosts): StateReason | undefined =>
  dialect === "icinga2" && suppressedBy.length > 0 && suppressedBy.every((parent) => soft.has(parent))
    ? "soft_parent"
    : undefined;

/** Maximum number of past differences; older ones are counted only. */
const maxPast = 10_000;

/** Differences between states, from their beginning to their end. */
export class StateDifferences {
  readonly #open = new Map<string, ShadowDifference>();
  readonly #past: ShadowDifference[] = [];
  /** Reason of the present difference by reference, where it is by design. */
  readonly #byDesign = new Map<string, StateReason>();
  readonly #designCounts: Record<StateReason, number> = { soft_again: 0, hard_behind_host: 0, soft_parent: 0 };
  #lastDown: readonly ObservedObject[] = [];
  #omitted = 0;
  #compared = 0;

  /** Number of objects that the latest comparison compared. */
  get compared(): number {
    return this.#compared;
  }

  /** Number of past differences that are not listed. */
  get omitted(): number {
    return this.#omitted;
  }

  /** [SH16] Numbers of differences that are by design, from beginning to end. */
  get designCounts(): Readonly<Record<StateReason, number>> {
    return this.#designCounts;
  }

  /** Past differences, then those that last. */
  list(): readonly ShadowDifference[] {
    return [...this.#past, ...this.#open.values()];
  }

  /**
   * Compares the states of both systems. Only objects whose latest result is the same in both are compared by state.
   *
   * @param shadowed objects of the agent by reference
   * @param nowMs    Unix ms
   */
  compare(observation: Observation, shadowed: ReadonlyMap<string, ShadowedObject>, nowMs: number): void {
    this.#compared = 0;
    const hosts = this.#downHosts(observation);
    for (const ref of observation.known)
      if (shadowed.has(ref)) this.#settle(ref, "object", nowMs);
      else this.#note({ object: ref, kind: "object", other: "exists", agent: "", circumstances: [] }, nowMs);
    for (const ref of shadowed.keys())
      if (!observation.known.has(ref))
        this.#note({ object: ref, kind: "object", other: "", agent: "exists", circumstances: [] }, nowMs);
    for (const observed of observation.objects) {
      const own = shadowed.get(observed.ref);
      if (own === undefined || own.checkedAtMs !== observed.checkedAtMs) continue;
      this.#compared += 1;
      const [other, agent] = [stateText(observed), stateText(own)];
      const { ref, circumstances } = observed;
      const isByDesign = this.#noteDesign(observed, own, hosts);
      if (other === agent || isByDesign) this.#settle(ref, "state", nowMs);
      else this.#note({ object: ref, kind: "state", other, agent, circumstances }, nowMs);
    }
  }

  /** Hosts that are down in this or the last observation: the results of one may lie between two states of a host. */
  #downHosts({ dialect, objects }: Observation): DownHosts {
    const down = objects.filter(isDownHost);
    const both = [...this.#lastDown, ...down];
    this.#lastDown = down;
    const refsOf = (hosts: readonly ObservedObject[]) => new Set(hosts.map(({ ref }) => ref));
    return { dialect, all: refsOf(both), soft: refsOf(both.filter(({ isHard }) => !isHard)) };
  }

  /** True when the states differ by design. It stays so until they agree again. */
  #noteDesign(observed: ObservedObject, own: ShadowedObject, hosts: DownHosts): boolean {
    const known = this.#byDesign.get(observed.ref);
    const reason = isSoftThereOnly(observed, own)
      ? (known ?? reasonOfSoft(observed, own, hosts))
      : isDownThereOnly(observed, own)
        ? (known ?? reasonOfDown(own, hosts))
        : undefined;
    if (reason === undefined) this.#byDesign.delete(observed.ref);
    else {
      this.#byDesign.set(observed.ref, reason);
      if (known === undefined) this.#designCounts[reason] += 1;
    }
    return reason !== undefined;
  }

  #note(difference: Omit<ShadowDifference, "since">, nowMs: number): void {
    const known = this.#open.get(keyOfDifference(difference));
    if (known !== undefined && known.other === difference.other && known.agent === difference.agent) return;
    this.#settle(difference.object, difference.kind, nowMs);
    this.#open.set(keyOfDifference(difference), { ...difference, since: instantText(nowMs) });
  }

  #settle(object: string, kind: ShadowDifference["kind"], nowMs: number): void {
    const key = keyOfDifference({ object, kind });
    const known = this.#open.get(key);
    if (known === undefined) return;
    this.#open.delete(key);
    this.#past.push({ ...known, until: instantText(nowMs) });
    if (this.#past.length <= maxPast) return;
    this.#past.shift();
    this.#omitted += 1;
  }
}

const keyOfDifference = ({ object, kind }: Pick<ShadowDifference, "object" | "kind">): string => `${kind} ${object}`;
