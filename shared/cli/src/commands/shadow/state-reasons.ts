import { isProblem } from "@realmwatch/shared/model/status";
import type { ReasonCounts, StateReason } from "./by-design.ts";
import type { Dialect, Observation, ObservedObject } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";

/** Parents of hosts by their references. */
export type HostParents = ReadonlyMap<string, readonly string[]>;

/** Hosts that are or were not ok at the other system; those in a soft state apart. */
type DownHosts = {
  readonly dialect: Dialect;
  readonly all: ReadonlySet<string>;
  readonly soft: ReadonlySet<string>;
  readonly parents: HostParents;
};

const isHost = ({ ref }: { readonly ref: string }): boolean => !ref.includes("!");
const isDown = ({ status }: { readonly status: string }): boolean => status === "critical" || status === "unreachable";

const isSameAttempt = (observed: ObservedObject, own: ShadowedObject): boolean =>
  observed.isHard === own.isHard && (own.isHard || observed.attempt === own.attempt);

/** Reasons that states as different as these can have. */
function possibleReasons(observed: ObservedObject, own: ShadowedObject): readonly StateReason[] {
  const isPassive = isHost(own) && observed.isPassive && isDown(observed) && isDown(own);
  if (observed.status === own.status) {
    if (isPassive && observed.isHard && !own.isHard) return ["passive_attempts"];
    return isProblem(own.status) && !observed.isHard && own.isHard ? ["soft_again", "hard_behind_host"] : [];
  }
  const status: StateReason | undefined =
    observed.status === "critical" && own.status === "unreachable"
      ? "soft_parent"
      : observed.status === "unreachable" && own.status === "critical"
        ? "ancestor"
        : undefined;
  return [
    ...(status !== undefined && isSameAttempt(observed, own) ? [status] : []),
    ...(isPassive ? ["passive_host" as const] : []),
  ];
}

/** True when a reason holds for states that can have it. */
function holds(reason: StateReason, own: ShadowedObject, hosts: DownHosts & { readonly wasHard: boolean }): boolean {
  const { dialect, all, soft, parents, wasHard } = hosts;
  const [host = ""] = own.ref.split("!", 1);
  const hasAttempts = !isHost(own) && own.maxAttempts > 1;
  switch (reason) {
    case "soft_again":
      return dialect === "nagios" && hasAttempts && wasHard;
    case "hard_behind_host":
      return dialect === "icinga2" && hasAttempts && all.has(host);
    case "soft_parent":
      return (
        dialect === "icinga2" && own.suppressedBy.length > 0 && own.suppressedBy.every((parent) => soft.has(parent))
      );
    case "ancestor":
      return dialect === "icinga2" && (parents.get(host) ?? []).some((parent) => hasAncestorIn(all, parent, parents));
    default:
      return dialect === "nagios";
  }
}

/** True when an ancestor of a host is in a set. */
function hasAncestorIn(set: ReadonlySet<string>, host: string, parents: HostParents): boolean {
  const seen = new Set([host]);
  for (const each of seen)
    for (const parent of parents.get(each) ?? []) {
      if (set.has(parent)) return true;
      seen.add(parent);
    }
  return false;
}

/** [SH16] Finds the reasons of differences that are by design. */
export class StateReasons {
  /** Reason of the present difference by reference. */
  readonly #present = new Map<string, StateReason>();
  /** The same in the last comparison. */
  #last: ReadonlyMap<string, StateReason> = new Map();
  readonly #counts: Partial<Record<StateReason, number>> = {};
  #lastDown: readonly ObservedObject[] = [];
  #hosts: DownHosts = { dialect: "nagios", all: new Set(), soft: new Set(), parents: new Map() };

  /** Numbers of differences that are by design, from beginning to end. */
  get counts(): ReasonCounts {
    return this.#counts;
  }

  /** Reason of a difference of an object in this or the last comparison; undefined without one. */
  reasonOf(ref: string): StateReason | undefined {
    return this.#present.get(ref) ?? this.#last.get(ref);
  }

  /** Takes the hosts that are down in this or the last observation: the results of one may lie between two states of a host. */
  observe({ dialect, objects }: Observation, parents: HostParents): void {
    this.#last = new Map(this.#present);
    const down = objects.filter((each) => isHost(each) && each.status !== "ok");
    const both = [...this.#lastDown, ...down];
    this.#lastDown = down;
    const refsOf = (hosts: readonly ObservedObject[]) => new Set(hosts.map(({ ref }) => ref));
    this.#hosts = { dialect, parents, all: refsOf(both), soft: refsOf(both.filter(({ isHard }) => !isHard)) };
  }

  /** True when the states differ by design. It stays so until they agree again. */
  isByDesign(observed: ObservedObject, own: ShadowedObject): boolean {
    const known = this.#present.get(observed.ref);
    const possible = possibleReasons(observed, own);
    const hosts = { ...this.#hosts, wasHard: observed.wasHardProblem };
    const reason =
      known !== undefined && possible.includes(known) ? known : possible.find((each) => holds(each, own, hosts));
    if (reason === undefined) this.#present.delete(observed.ref);
    else {
      this.#present.set(observed.ref, reason);
      if (reason !== known) this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
    }
    return reason !== undefined;
  }
}
