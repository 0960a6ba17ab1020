import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type { ObjectContext } from "../object-context.ts";
import type { FollowUp, NeighbourFilter } from "../transition.ts";
import { type Phase, statusOf } from "./object-state.ts";
import { type HostState, hostStateOf, isDownOrUnreachable } from "./reachability.ts";

/** Change of an object's phase with one result. */
type PhaseChange = { readonly before: Phase; readonly after: Phase; readonly maxAttempts: number };

/** [HS1-HS3, HS5] On-demand checks of other objects that a result of this object calls for. */
export function onDemandChecks(
  plan: Pick<ObjectPlan, "key">,
  change: PhaseChange,
  objectContext: Pick<ObjectContext, "hostDown">,
): FollowUp[] {
  const checks = hostChecks(plan, change, objectContext);
  if (isAboutToHarden(change)) checks.push({ kind: "check_dependencies" });
  return checks;
}

/** [HS5] The next result may turn the problem hard: by then the state of the dependencies must be up to date. */
const isAboutToHarden = ({ after, maxAttempts }: PhaseChange): boolean =>
  after.kind === "soft" && after.attempt === maxAttempts - 1;

function hostChecks(
  { key }: Pick<ObjectPlan, "key">,
  change: PhaseChange,
  objectContext: Pick<ObjectContext, "hostDown">,
): FollowUp[] {
  switch (key.kind) {
    case "service":
      return needsHostCheck(change, objectContext) ? [{ kind: "check_host" }] : [];
    case "host":
      return neighbourChecks(change);
    default:
      return [];
  }
}

/** [HS1] A soft problem requests a host check with each result: the host may have gone down since the last one. */
function needsHostCheck({ before, after }: PhaseChange, { hostDown }: Pick<ObjectContext, "hostDown">): boolean {
  const [was, is] = [statusOf(before), statusOf(after)];
  if (hostDown) return is === "ok";
  return isProblem(is) && (was !== is || after.kind === "soft");
}

/** [HS2, HS3] Checks of parents and children; those whose state is in doubt now come first. */
function neighbourChecks({ before, after }: PhaseChange): FollowUp[] {
  const [was, is] = [statusOf(before), statusOf(after)];
  const checks: FollowUp[] = [];
  if (!isDownOrUnreachable(was) && isDownOrUnreachable(is))
    checks.push({ kind: "check_parents", which: "up" }, { kind: "check_children", which: "not_unreachable" });
  if (isDownOrUnreachable(was) && !isDownOrUnreachable(is))
    checks.push({ kind: "check_parents", which: "not_up" }, { kind: "check_children", which: "not_up" });
  if (!isProblem(was) && isProblem(is)) checks.push({ kind: "check_parents", which: "all" });
  if (hardState(before) !== hardState(after)) checks.push({ kind: "check_children", which: "all" });
  return checks;
}

/** A soft problem counts as up, because a soft state always follows an up state. */
const hardState = (phase: Phase): HostState => (phase.kind === "hard" ? hostStateOf(phase.status) : "up");

/** True when a neighbour with this status is selected by the filter. */
export const matchesNeighbourFilter = (which: NeighbourFilter, status: Status): boolean =>
  neighbourFilters[which](hostStateOf(status));

const neighbourFilters: Readonly<Record<NeighbourFilter, (state: HostState) => boolean>> = {
  all: () => true,
  up: (state) => state === "up",
  not_up: (state) => state !== "up",
  not_unreachable: (state) => state !== "unreachable",
};
