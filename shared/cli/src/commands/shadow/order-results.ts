import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type { Dialect, ObservedObject } from "./observed-object.ts";
import type { ShadowedObject, ShadowResult } from "./shadow-results.ts";

/** Results of one object since the agent's latest, with what both systems have of it. */
export type Submission = {
  readonly observed: ObservedObject;
  /** Before the results. */
  readonly shadowed: ShadowedObject;
  readonly results: readonly ShadowResult[];
};

type Order = {
  readonly dialect: Dialect;
  /** Agent's objects before the results. */
  readonly shadowed: ReadonlyMap<string, ShadowedObject>;
  /** Parents of a host by its reference. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
};

/**
 * [SH15] Results in the order in which the other system processed them: by the end of the checks, unless its states prove
 * another order. Times are whole seconds there, and a host that changed in the same reading was up for some results and
 * down for others: a service that is hard before its last attempt had a host that was down, a soft one had a host that
 * was up, and a host that is unreachable had no parent that was up.
 */
export function orderResults(submissions: readonly Submission[], order: Order): ShadowResult[] {
  const sorted = [...submissions].sort((a, b) => endOf(a) - endOf(b));
  const byRef = new Map(sorted.map((each) => [each.observed.ref, each]));
  const earlier = new Map<string, string[]>();
  for (const submission of sorted)
    for (const { ref, isUp } of provenHosts(submission, byRef, order)) {
      const host = byRef.get(ref);
      if (host === undefined || isUpAfter(host) === isUpBefore(host.shadowed)) continue;
      const [first, second] =
        isUpAfter(host) === isUp ? [ref, submission.observed.ref] : [submission.observed.ref, ref];
      earlier.set(second, [...(earlier.get(second) ?? []), first]);
    }
  const ordered = new Set<Submission>();
  const visited = new Set<Submission>();
  const place = (submission: Submission): void => {
    if (visited.has(submission)) return;
    visited.add(submission);
    for (const ref of earlier.get(submission.observed.ref) ?? []) {
      const first = byRef.get(ref);
      if (first !== undefined) place(first);
    }
    ordered.add(submission);
  };
  for (const submission of sorted) place(submission);
  return [...ordered].flatMap(({ results }) => results);
}

const endOf = ({ observed }: Submission): number => observed.checkedAtMs + observed.executionMs;

const isUpStatus = (status: Status): boolean => !["critical", "unknown", "unreachable"].includes(status);
const isUpAfter = ({ observed }: Submission): boolean => isUpStatus(observed.status);
const isUpBefore = (shadowed: ShadowedObject | undefined): boolean =>
  shadowed === undefined || isUpStatus(shadowed.status);

/** Hosts whose state at the time of the object's latest result is known from the object's own state. */
function provenHosts(
  submission: Submission,
  changed: ReadonlyMap<string, Submission>,
  { dialect, shadowed, parents }: Order,
): readonly { readonly ref: string; readonly isUp: boolean }[] {
  const { ref, status } = submission.observed;
  if (!isProblem(status)) return [];
  const [host = ""] = ref.split("!", 1);
  if (host !== ref) {
    const isUp =
      wasNotified(submission.observed, dialect) ||
      (hostWasUp(submission) ?? (wasSilent(submission, dialect) ? false : undefined));
    return isUp === undefined ? [] : [{ ref: host, isUp }];
  }
  if (isUpStatus(status)) return [];
  const own = parents.get(ref) ?? [];
  if (status === "unreachable") return own.map((parent) => ({ ref: parent, isUp: false }));
  const isUpNow = (parent: string): boolean => {
    const change = changed.get(parent);
    return change === undefined ? isUpBefore(shadowed.get(parent)) : isUpAfter(change);
  };
  if (own.some((parent) => isUpNow(parent) && isUpBefore(shadowed.get(parent)))) return [];
  // One parent that was up is enough. A parent whose time of change agrees with that is preferred.
  const wasUp = own.filter((parent) => isUpNow(parent) || isUpBefore(shadowed.get(parent)));
  const isLikely = (parent: string): boolean => {
    const change = changed.get(parent);
    return change !== undefined && isUpAfter(change) === endOf(change) <= endOf(submission);
  };
  const parent = wasUp.find(isLikely) ?? wasUp[0];
  return parent === undefined ? [] : [{ ref: parent, isUp: true }];
}

/** True when Nagios notified of the result of a service, which it does while the host is up only. */
const wasNotified = ({ notifiedAtMs, checkedAtMs }: ObservedObject, dialect: Dialect): boolean =>
  dialect === "nagios" && notifiedAtMs !== undefined && notifiedAtMs >= checkedAtMs;

/** True for a hard problem that Nagios would have notified of if the host had been up. */
const wasSilent = ({ observed, shadowed }: Submission, dialect: Dialect): boolean =>
  dialect === "nagios" &&
  observed.isHard &&
  observed.circumstances.length === 0 &&
  !wasNotified(observed, dialect) &&
  (observed.notificationNumber === 0 || observed.status !== shadowed.status);

/** True when the service's state proves that its host was up, false when it proves that it was down. */
function hostWasUp({ observed, shadowed, results }: Submission): boolean | undefined {
  if (!observed.isHard) return true;
  const recovered = results.some(({ status }) => status === "ok");
  const known = recovered || !isProblem(shadowed.status) ? undefined : shadowed;
  if (known?.isHard) return undefined;
  const attempts = (known?.attempt ?? 0) + results.filter(({ status }) => status !== "ok").length;
  return attempts < shadowed.maxAttempts ? false : undefined;
}
