import { isProblem } from "@realmwatch/shared/model/status";
import type { Observation, ObservedObject } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";
import { type HostParents, StateReasons } from "./state-reasons.ts";

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

/** Maximum number of past differences; older ones are counted only. */
const maxPast = 10_000;

type AgentObjects = { readonly objects: ReadonlyMap<string, ShadowedObject>; readonly parents: HostParents };

/** Differences between states, from their beginning to their end. */
export class StateDifferences {
  readonly #open = new Map<string, ShadowDifference>();
  readonly #past: ShadowDifference[] = [];
  readonly #reasons = new StateReasons();
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

  /** [SH16] Differences that are by design. */
  get reasons(): Pick<StateReasons, "counts" | "reasonOf"> {
    return this.#reasons;
  }

  /** Past differences, then those that last. */
  list(): readonly ShadowDifference[] {
    return [...this.#past, ...this.#open.values()];
  }

  /**
   * Compares the states of both systems. Only objects whose latest result is the same in both are compared by state.
   *
   * @param agent objects of the agent by reference, with the parents of its hosts
   * @param nowMs Unix ms
   */
  compare(observation: Observation, { objects: shadowed, parents }: AgentObjects, nowMs: number): void {
    this.#compared = 0;
    this.#reasons.observe(observation, parents);
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
      const isByDesign = this.#reasons.isByDesign(observed, own);
      if (other === agent || isByDesign) this.#settle(ref, "state", nowMs);
      else this.#note({ object: ref, kind: "state", other, agent, circumstances }, nowMs);
    }
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
