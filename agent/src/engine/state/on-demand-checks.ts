import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { type Phase, statusOf } from "./attempts.ts";
import type { FollowUp, NeighbourFilter } from "../follow-up.ts";
import type { ObjectContext } from "../object-context.ts";
import { isDownOrUnreachable, type HostState, hostStateOf } from "./reachability.ts";

/** One step of an object: where it stood and where it stands. */
type Move = { readonly before: Phase; readonly after: Phase; readonly maxAttempts: number };

/** [HS1-HS3, HS5] Which other objects are worth a look now, before their turn. */
export function onDemandChecks(
  plan: Pick<ObjectPlan, "key">,
  move: Move,
  objectContext: Pick<ObjectContext, "hostDown">,
): FollowUp[] {
  const looks = looksAtHosts(plan, move, objectContext);
  if (isAboutToHarden(move)) looks.push({ kind: "check_masters" });
  return looks;
}

/** [HS5] The next result may confirm the problem: by then it should be known whether what it depends on works. */
const isAboutToHarden = ({ after, maxAttempts }: Move): boolean =>
  after.kind === "soft" && after.attempt === maxAttempts - 1;

function looksAtHosts(
  { key }: Pick<ObjectPlan, "key">,
  move: Move,
  objectContext: Pick<ObjectContext, "hostDown">,
): FollowUp[] {
  switch (key.kind) {
    case "service":
      return asksForHost(move, objectContext) ? [{ kind: "check_host" }] : [];
    case "host":
      return looksAtNeighbours(move);
    default:
      return [];
  }
}

/** [HS1] A problem that is not confirmed asks each time: the host may have died since the first look at it. */
function asksForHost({ before, after }: Move, { hostDown }: Pick<ObjectContext, "hostDown">): boolean {
  const [was, is] = [statusOf(before), statusOf(after)];
  if (hostDown) return is === "ok";
  return isProblem(is) && (was !== is || after.kind === "soft");
}

/** [HS2, HS3] Those first whose state is in doubt now. */
function looksAtNeighbours({ before, after }: Move): FollowUp[] {
  const [was, is] = [statusOf(before), statusOf(after)];
  const looks: FollowUp[] = [];
  if (!isDownOrUnreachable(was) && isDownOrUnreachable(is))
    looks.push({ kind: "check_parents", which: "up" }, { kind: "check_children", which: "not_unreachable" });
  if (isDownOrUnreachable(was) && !isDownOrUnreachable(is))
    looks.push({ kind: "check_parents", which: "not_up" }, { kind: "check_children", which: "not_up" });
  if (!isProblem(was) && isProblem(is)) looks.push({ kind: "check_parents", which: "all" });
  if (confirmedState(before) !== confirmedState(after)) looks.push({ kind: "check_children", which: "all" });
  return looks;
}

/** A problem that is not confirmed came from a host that was up. */
const confirmedState = (phase: Phase): HostState => (phase.kind === "hard" ? hostStateOf(phase.status) : "up");

/** Whether a neighbour with this status is one of those that are meant. */
export const matchesNeighbourFilter = (which: NeighbourFilter, status: Status): boolean => meant[which](hostStateOf(status));

const meant: Readonly<Record<NeighbourFilter, (state: HostState) => boolean>> = {
  all: () => true,
  up: (state) => state === "up",
  not_up: (state) => state !== "up",
  not_unreachable: (state) => state !== "unreachable",
};
