import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { PairRole, PairStatus, PairTakeover } from "@realmwatch/shared/model/pair-status";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { otherSecret } from "../platform/link/sealed-frame.ts";
import type { AgentPortHost, ServedAgent } from "../port-host/agent-port-host.ts";
import type { StartDuty } from "./duty.ts";
import type { JournalFollower } from "./journal/journal-follower.ts";
import { journalLength } from "./journal/journal-relation.ts";
import type { LeaseStore } from "./lease/lease-store.ts";
import { DivergedMerge } from "./link/diverged-merge.ts";
import { FollowClient } from "./link/follow-client.ts";
import type { ActiveAnswer, LinkRequest } from "./link/follow-messages.ts";
import { type ActiveParts, type EngineAnswer, FollowServer } from "./link/follow-server.ts";
import { LinkCaller, LinkSessions, type SendFrame } from "./link/link-sessions.ts";
import { peerProblem } from "./member/hearing.ts";
import { type Member, newMember } from "./member/member.ts";
import type { MemberAction } from "./member/member-action.ts";
import type { MemberEvent, MemberTime } from "./member/member-event.ts";
import { emptyMark, type JournalMark, type MemberFacts, type MemberSettings } from "./member/member-facts.ts";
import { factsOf, mayPromise, memberStatusOf, roleOf } from "./member/member-status.ts";
import { rightRemainingMs } from "./member/right.ts";
import { stepMember } from "./member/step-member.ts";
import { MemberJournal } from "./member-journal.ts";
import { MemberRight } from "./member-right.ts";
import type { PairControl } from "./pair-control.ts";
import type { PairTimes } from "./pair-times.ts";
import type { PlanCache } from "./plan-cache.ts";
import { type ForwardedFunctions, MemberCallError } from "./standby-engine.ts";

type PairMemberOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: MemberSettings;
  readonly times: PairTimes;
  readonly pagesWithoutRight: boolean;
  readonly secret: Uint8Array;
  readonly bus: NatsBus;
  readonly leases: LeaseStore;
  readonly send: SendFrame;
  readonly port: AgentPortHost;
  readonly follower: JournalFollower;
  /** Opens the journal for following again. */
  reopen(): Promise<Result<JournalFollower, string>>;
  readonly startDuty: StartDuty;
  /** Agent that the port serves while this member is not active. */
  readonly standby: ServedAgent;
  readonly plans: PlanCache;
  readonly dataDir: string;
};

/** Interval of the member's clock, ms. */
const tickMs = 200;
/** Time after which a follower that asks no more counts as lost, ms. */
const silenceMs = 2_000;
/** Longest time that the active member has for what it is asked, ms. */
const askTimeoutMs = 5_000;

/** Runs one member of a pair: does what its state machine says, and tells it what happened. */
export class PairMember implements PairControl {
  readonly right: MemberRight;
  readonly #options: PairMemberOptions;
  readonly #sessions: LinkSessions;
  readonly #caller: LinkCaller;
  readonly #server: FollowServer;
  readonly #client: FollowClient;
  readonly #divergedMerge: DivergedMerge;
  readonly #journal: MemberJournal;
  readonly #exited = Promise.withResolvers<void>();
  #member: Member;
  /** Actions are done in their order, each after the one before. */
  #chain: Promise<void> = Promise.resolve();
  #previousInstance = "";
  #lastHeardMs = Number.NEGATIVE_INFINITY;
  #switching: ((answer: Result<undefined, string>) => void)[] = [];
  #promoting: ((answer: Result<undefined, string>) => void)[] = [];
  #cancelTick = (): void => {};
  #stopDown = (): void => {};
  #isClosed = false;
  /** Time since which the member has its role, Unix ms. */
  #sinceMs: number;
  #loggedReason = "";
  /** Time up to which the rows that the port shows are those of the active member. */
  #asOfMs: number | undefined;
  /** Last takeover that the active member knows of. */
  #heardTakeover: PairTakeover | undefined;

  constructor(options: PairMemberOptions) {
    this.#options = options;
    const { clock, settings, secret, send, times, follower, port } = options;
    this.#journal = new MemberJournal({
      ...options,
      client: () => this.#client,
      happened: (event) => this.#dispatch(event),
    });
    this.#sinceMs = clock.now();
    const mark = parseMark(follower.facts());
    this.#member = newMember(settings, mark, journalLength(follower.position()), this.#now());
    this.right = new MemberRight({
      remainingMs: () => rightRemainingMs(this.#member, this.#now()),
      longestActionMs: times.longestActionMs,
      pagesWithoutRight: options.pagesWithoutRight,
      whyEnded: () => memberStatusOf(this.#member, this.#now()).reason,
    });
    this.#sessions = new LinkSessions(secret);
    this.#caller = new LinkCaller(secret, send);
    const waitMs = Math.min(1_000, times.renewalMs / 2);
    this.#server = new FollowServer({
      ...{ clock, port, waitMs },
      now: () => this.#now(),
      facts: () => factsOf(this.#member, this.#now()),
      refuse: (peer) => this.#refuse(peer),
      active: () => this.#activeParts(),
      heard: (peer, answers, promises) => {
        this.#lastHeardMs = clock.monotonic();
        this.#dispatch({ kind: "heard", peer, answers, promises });
      },
      lastTakeover: () => this.status().lastTakeover,
      acknowledged: () => this.#reportProgress(),
    });
    this.#client = this.#openClient(waitMs);
    this.#divergedMerge = new DivergedMerge({
      ...{ dataDir: options.dataDir, log: options.log },
      send: (slice) => this.#ask({ kind: "merge", member: settings.member, slice }),
    });
  }

  /** Begins to take part. */
  start(): void {
    const { bus } = this.#options;
    this.#stopDown = bus.onDown(() =>
      this.#dispatch({ kind: "leaseRead", sentAt: this.#now(), reading: fail("the connection to NATS was lost") }),
    );
    this.#client.start();
    this.#tick();
  }

  /** Gives the realm up if this member is active, and ends. `limitMs`: longest time for that. */
  async stop(limitMs: number): Promise<void> {
    this.#dispatch({ kind: "stopRequested" });
    const cancel = this.#options.clock.after(limitMs, () => this.#exited.resolve());
    await this.#exited.promise;
    cancel();
    this.#isClosed = true;
    this.#cancelTick();
    this.#stopDown();
    await this.#client.close();
    await this.#journal.close();
  }

  status(): PairStatus {
    const { needsPerson: _, ...status } = memberStatusOf(this.#member, this.#now());
    const { settings, times } = this.#options;
    return {
      ...status,
      lagMs: Math.ceil(status.lagMs),
      leaseRemainingMs: Math.floor(status.leaseRemainingMs),
      promiseRemainingMs: Math.floor(status.promiseRemainingMs),
      self: settings.member,
      leaseMs: times.leaseMs,
      marginMs: times.marginMs,
      sinceMs: this.#sinceMs,
      documentsDiffer: this.#documentsDiffer(),
      lastTakeover: laterTakeover(status.lastTakeover, this.#heardTakeover),
      asOfMs: factsOf(this.#member, this.#now()).active ? undefined : this.#asOfMs,
    };
  }

  async switch(): Promise<Result<PairStatus, string>> {
    const facts = factsOf(this.#member, this.#now());
    if (!facts.active) {
      const switched = await this.#ask({ kind: "switch" });
      return switched.ok ? ok(this.status()) : switched;
    }
    const asked = Promise.withResolvers<Result<undefined, string>>();
    this.#switching.push(asked.resolve);
    this.#dispatch({ kind: "switchRequested" });
    const answer = await asked.promise;
    return answer.ok ? ok(this.status()) : answer;
  }

  async promote(_by: string, force: boolean): Promise<Result<PairStatus, string>> {
    if (!force) return fail("what the other member alone has may be lost: ask for it with force");
    const asked = Promise.withResolvers<Result<undefined, string>>();
    this.#promoting.push(asked.resolve);
    this.#dispatch({ kind: "promoteRequested" });
    const answer = await asked.promise;
    return answer.ok ? ok(this.status()) : answer;
  }

  follow(frame: Uint8Array): Promise<Result<Uint8Array, string>> {
    return this.#sessions.answer(frame, (body, session) => this.#serve(body as LinkRequest, session));
  }

  /** Calls the engine of the active member. Rejects with a `MemberCallError`. */
  async forward(name: keyof ForwardedFunctions, args: readonly unknown[], timeoutMs: number): Promise<unknown> {
    const { active } = this.status();
    const nobody = active === "" ? "standby: no member is known to be active" : `standby: the active is ${active}`;
    if (active === "" || active === this.#options.settings.member) throw new MemberCallError(nobody, false);
    let answer: EngineAnswer;
    try {
      answer = (await this.#caller.call({ kind: "engine", name, args } satisfies LinkRequest, timeoutMs))
        .body as EngineAnswer;
    } catch (error) {
      throw new MemberCallError(`${nobody}, which did not answer (${errorText(error)})`, true);
    }
    if (!answer.executed) throw new MemberCallError(nobody, false);
    return answer.result;
  }

  /** Pair on the readiness page: ready are an active member, and a standby that could take over. */
  dependencies(readError: string): readonly DependencyStatus[] {
    const { role, inSync, active, reason } = this.status();
    const isReady = role === "active" || (role === "standby" && inSync);
    const state = role === "standby" ? `standby of ${active}, ${inSync ? "in sync" : "not in sync"}` : role;
    const detail = [state, reason, readError].filter((text) => text !== "").join("; ");
    return [{ name: "pair", ok: isReady, needed: true, detail }];
  }

  /** Reloads the configuration of the agent that runs in this member. Returns false when none does. */
  reload(): boolean {
    const { duty } = this.#journal;
    duty?.reload();
    return duty !== undefined;
  }

  /** Reads from the journal that a snapshot has put in place; the one before may have been copied. */
  journalReplaced(): void {
    this.#options.port.reopenJournal();
    this.#divergedMerge.expect();
  }

  /** Returns the reason to refuse a member, and notes it. */
  #refuse(peer: MemberFacts): string {
    const problem = peerProblem(this.#member, peer);
    if (problem !== "") this.#dispatch({ kind: "heard", peer, answers: undefined, promises: false });
    return problem;
  }

  #serve(request: LinkRequest, session: string): Promise<unknown> {
    if (request.kind === "switch") return this.switch();
    if (request.kind === "merge")
      return (
        this.#journal.duty?.merge(request.member, request.slice) ?? Promise.resolve(fail("this member is not active"))
      );
    return this.#server.serve(request, session);
  }

  /** Asks the active member for something that it answers with a `Result`. */
  async #ask(request: LinkRequest): Promise<Result<unknown, string>> {
    try {
      return (await this.#caller.call(request, askTimeoutMs)).body as Result<unknown, string>;
    } catch (error) {
      return fail(`the active member cannot be asked: ${errorText(error)}`);
    }
  }

  #now(): MemberTime {
    const { clock } = this.#options;
    return { nowMs: clock.monotonic(), wallMs: clock.now() };
  }

  /** Parts of the duty that the standby follows: also after the end of the duty, until the realm is given up. */
  #activeParts(): ActiveParts | undefined {
    return factsOf(this.#member, this.#now()).active ? this.#journal.parts : undefined;
  }

  #documentsDiffer(): boolean {
    const theirs = this.#journal.follower?.document();
    return theirs !== undefined && theirs !== "" && theirs !== this.#options.plans.own.document;
  }

  #dispatch(event: MemberEvent): void {
    if (this.#isClosed) return;
    const before = roleOf(this.#member, this.#now());
    const { member, actions } = stepMember(this.#member, event, this.#now());
    this.#member = member;
    if (!factsOf(member, this.#now()).active) this.#journal.forgetParts();
    this.right.update(this.#options.clock.monotonic());
    this.#logRole(before);
    // How many disks a group needs is obeyed before the next event: the barrier of a standby that joins counts on it.
    for (const action of actions) if (action.kind === "acknowledge") this.#journal.acknowledge(action.alone);
    const rest = actions.filter(({ kind }) => kind !== "acknowledge");
    // A renewal does not wait for a mark of an earlier step, which waits for the journal while a duty opens it.
    if (rest.every(({ kind }) => kind === "readLease" || kind === "writeLease")) void this.#performAll(rest);
    else this.#chain = this.#chain.then(() => this.#performAll(rest));
  }

  #logRole(before: PairRole): void {
    const { role, reason, term, active, needsPerson } = memberStatusOf(this.#member, this.#now());
    const { log, settings, clock } = this.#options;
    if (role === before && reason === this.#loggedReason) return;
    if (role !== before) this.#sinceMs = clock.now();
    this.#loggedReason = reason;
    const write = needsPerson || role === "held" || role === "refused" ? log.warn.bind(log) : log.info.bind(log);
    const state = reason === "" ? role : `${role}: ${reason}`;
    write({ member: settings.member, role, active, term }, `pair: ${settings.member} is ${state}`);
  }

  async #performAll(actions: readonly MemberAction[]): Promise<void> {
    let unmarked = "";
    for (const action of actions) {
      if (action.kind === "markInJournal") {
        const kept = await this.#journal.keep(action.mark);
        if (!kept.ok) unmarked = kept.error;
      } else if (action.kind === "writeLease" && unmarked !== "") {
        const writing = { kind: "unknown", why: unmarked } as const;
        this.#dispatch({ kind: "leaseWritten", sentAt: this.#now(), writing });
      } else await this.#perform(action);
    }
  }

  async #perform(action: Exclude<MemberAction, { kind: "markInJournal" }>): Promise<void> {
    switch (action.kind) {
      case "readLease":
        return void this.#readLease();
      case "writeLease":
        return void this.#writeLease(action);
      case "startDuty":
        return this.#startDuty(action);
      case "stopDuty":
        return void this.#journal.stop(action.why === "fenced");
      case "acknowledge":
        // Done by the dispatch.
        return;
      case "answerSwitch":
        return answerAll(this.#switching, action.answer);
      case "answerPromote":
        return answerAll(this.#promoting, action.answer);
      case "record":
        return this.#journal.record(action.record);
      case "exit":
        return this.#exited.resolve();
      default:
        return action satisfies never;
    }
  }

  async #readLease(): Promise<void> {
    const sentAt = this.#now();
    const { bus, leases, settings } = this.#options;
    const connections = bus.connections();
    const read = await leases.read();
    const isSame = bus.connections() === connections && bus.live() !== undefined;
    const reading = read.ok && !isSame ? fail("the connection to NATS was lost") : read;
    if (reading.ok && reading.value.lease !== undefined && reading.value.lease.member !== settings.member)
      this.#previousInstance = reading.value.lease.instance;
    this.#dispatch({ kind: "leaseRead", sentAt, reading });
  }

  async #writeLease({ lease, expectedSeq }: Extract<MemberAction, { kind: "writeLease" }>): Promise<void> {
    const sentAt = this.#now();
    const writing = await this.#options.leases.write(lease, expectedSeq);
    this.#dispatch({ kind: "leaseWritten", sentAt, writing });
  }

  #startDuty({ epoch, from }: Extract<MemberAction, { kind: "startDuty" }>): void {
    this.#journal.start({
      ...{ epoch, from, right: this.right, control: this },
      epochHeard: (heard) => this.#dispatch({ kind: "epochHeard", epoch: heard }),
      member: this.#options.settings.member,
      previousInstance: this.#previousInstance,
    });
  }

  #tick(): void {
    const { clock } = this.#options;
    this.#cancelTick = clock.after(tickMs, () => this.#tick());
    const isSilent = clock.monotonic() - this.#lastHeardMs > silenceMs;
    if (factsOf(this.#member, this.#now()).active) {
      if (isSilent && this.#lastHeardMs > 0) {
        this.#lastHeardMs = Number.NEGATIVE_INFINITY;
        this.#dispatch({ kind: "linkLost", why: "the standby asks no more" });
      }
      this.#reportProgress();
    }
    this.#dispatch({ kind: "tick" });
  }

  #reportProgress(): void {
    const progress = this.#journal.progress();
    if (progress !== undefined) this.#dispatch({ kind: "progress", progress });
  }

  #openClient(waitMs: number): FollowClient {
    const { clock, log } = this.#options;
    return new FollowClient({
      ...{ clock, caller: this.#caller, timeoutMs: Math.ceil(2 * waitMs) + 1_000, retryMs: waitMs / 4 },
      facts: () => factsOf(this.#member, this.#now()),
      settled: () => this.#chain,
      follower: () => this.#journal.follower,
      promise: () => {
        if (!mayPromise(this.#member, this.#now())) return false;
        this.#dispatch({ kind: "promised" });
        return true;
      },
      heard: (peer, answers) => this.#dispatch({ kind: "heard", peer, answers, promises: false }),
      lost: (why) => {
        this.#dispatch({ kind: "linkLost", why });
        if (why.includes(otherSecret)) this.#dispatch({ kind: "refused", why });
      },
      refused: (why) => this.#dispatch({ kind: "refused", why }),
      followed: ({ position }, { facts, hasAll }) => {
        void this.#options.plans.planFor(this.#journal.follower?.document());
        if (hasAll) void this.#divergedMerge.run();
        this.#dispatch(
          hasAll ? { kind: "followedAll", term: facts.mark.term, position } : { kind: "followed", position },
        );
      },
      snapshotBegun: () => this.#dispatch({ kind: "snapshotBegun" }),
      failed: (why) => log.error({ why }, "pair: what the active member has cannot be applied"),
      received: (answer) => this.#received(answer),
    });
  }

  async #received({ rows, catalog, plan, hasAllRows, epoch, atMs, lastTakeover }: ActiveAnswer): Promise<void> {
    const { port } = this.#options;
    this.#heardTakeover = lastTakeover;
    await port.showOther({ rows, catalog, plan, completeEpoch: hasAllRows ? epoch : undefined });
    if (hasAllRows) this.#asOfMs = atMs;
  }
}

function answerAll(waiting: ((answer: Result<undefined, string>) => void)[], answer: Result<undefined, string>): void {
  for (const resolve of waiting.splice(0)) resolve(answer);
}

const laterTakeover = (own: PairTakeover | undefined, heard: PairTakeover | undefined): PairTakeover | undefined =>
  (heard?.term ?? 0) > (own?.term ?? 0) ? heard : own;

const parseMark = (json: string | undefined): JournalMark =>
  json === undefined ? emptyMark : { ...emptyMark, ...(JSON.parse(json) as Partial<JournalMark>) };
