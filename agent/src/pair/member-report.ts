import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { PairStatus, PairTakeover } from "@realmwatch/shared/model/pair-status";
import type { MemberLinkOptions } from "./link/member-link.ts";
import { type Member, reachablePeer } from "./member/member.ts";
import type { MemberTime } from "./member/member-event.ts";
import { memberStatusOf } from "./member/member-status.ts";

type MemberReportOptions = Pick<MemberLinkOptions, "clock" | "log" | "times"> & {
  /** Name of the member. */
  readonly member: string;
  /** True when the document of this member is not the one that the active member runs. */
  documentDiffers(): boolean;
};

/** State of a member for people: status, readiness and log. */
export class MemberReport {
  readonly #options: MemberReportOptions;
  /** Time since which the member has its role, Unix ms. */
  #sinceMs: number;
  #logged = "";
  /** Term of the last takeover that was logged; undefined before the first call. */
  #takeoverTerm: number | undefined;
  #role = "";
  /** Time up to which the rows that the port shows are those of the active member. */
  #asOfMs: number | undefined;
  #judgedUntilMs: number | undefined;

  constructor(options: MemberReportOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.now();
  }

  /** Notes that the port shows the rows of the active member up to a time, Unix ms. */
  rowsShown(atMs: number): void {
    this.#asOfMs = atMs;
    this.#judgedUntilMs = this.#options.clock.now();
  }

  /** Removes and returns the time, on the clock of this member, at which it last heard of an active member's rows. */
  takeJudgedUntilMs(): number | undefined {
    const judgedUntilMs = this.#judgedUntilMs;
    this.#judgedUntilMs = undefined;
    return judgedUntilMs;
  }

  status(member: Member, time: MemberTime): PairStatus {
    const { needsPerson: _, ...status } = memberStatusOf(member, time);
    const { times, documentDiffers } = this.#options;
    return {
      ...status,
      lagMs: Math.ceil(status.lagMs),
      leaseRemainingMs: Math.floor(status.leaseRemainingMs),
      promiseRemainingMs: Math.floor(status.promiseRemainingMs),
      self: this.#options.member,
      leaseMs: times.leaseMs,
      marginMs: times.marginMs,
      sinceMs: this.#sinceMs,
      documentsDiffer: documentDiffers() || reachablePeer(member, time)?.documentDiffers === true,
      asOfMs: member.phase.kind === "active" ? undefined : this.#asOfMs,
    };
  }

  /** Logs the role and its reason, when one of them has changed. */
  changed(member: Member, time: MemberTime): void {
    const { role, reason, term, active, needsPerson, lastTakeover } = memberStatusOf(member, time);
    const { log, clock, member: name } = this.#options;
    this.#logTakeover(lastTakeover);
    const state = reason === "" ? role : `${role}: ${reason}`;
    if (state === this.#logged) return;
    this.#logged = state;
    if (role !== this.#role) this.#sinceMs = clock.now();
    this.#role = role;
    // While it hands the realm over, a member has no right because it wants to.
    const isHandingOver = member.phase.kind === "active" && member.phase.givingUp !== undefined;
    const isWrong = needsPerson || role === "refused" || (role === "held" && !isHandingOver);
    const write = isWrong ? log.warn.bind(log) : log.info.bind(log);
    write({ member: name, role, active, term }, `pair: ${name} is ${state}`);
  }

  /** [PA58] Logs each takeover that this process learns of: as a warning, unless it was planned. */
  #logTakeover(takeover: PairTakeover | undefined): void {
    const known = this.#takeoverTerm;
    this.#takeoverTerm = takeover?.term ?? 0;
    if (takeover === undefined || known === undefined || takeover.term <= known) return;
    const { from, to, reason, term } = takeover;
    const { log, member } = this.#options;
    const isUnplanned = reason === "expired" || reason === "forced";
    const write = isUnplanned ? log.warn.bind(log) : log.info.bind(log);
    write(
      { member, from, to, reason, term },
      `pair: takeover${from === "" ? "" : ` from ${from}`} to ${to}: ${reason}`,
    );
  }
}

/** Pair on the readiness page: ready are an active member, and a standby that could take over. */
export function pairDependency({ role, inSync, active, reason }: PairStatus, readError: string): DependencyStatus {
  const isReady = role === "active" || (role === "standby" && inSync);
  const state = role === "standby" ? `standby of ${active}, ${inSync ? "in sync" : "not in sync"}` : role;
  const detail = [state, reason, readError].filter((text) => text !== "").join("; ");
  return { name: "pair", ok: isReady, needed: true, detail };
}
