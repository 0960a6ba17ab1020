import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { repeat } from "@realmwatch/shared/model/clock";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { journalLength } from "./journal/journal-relation.ts";
import { type LinkedMember, MemberLink, type MemberLinkOptions } from "./link/member-link.ts";
import type { PeerCalls } from "./link/peer-calls.ts";
import { peerProblem } from "./member/hearing.ts";
import { type Member, newMember } from "./member/member.ts";
import type { MemberAction } from "./member/member-action.ts";
import type { MemberEvent, MemberTime } from "./member/member-event.ts";
import { emptyMark, type JournalMark, type MemberSettings } from "./member/member-facts.ts";
import { factsOf, mayPromise, memberStatusOf } from "./member/member-status.ts";
import { rightRemainingMs } from "./member/right.ts";
import { stepMember } from "./member/step-member.ts";
import { MemberJournal, type MemberJournalOptions } from "./member-journal.ts";
import { MemberLease, type MemberLeaseOptions } from "./member-lease.ts";
import { MemberReport, pairDependency } from "./member-report.ts";
import { MemberRight } from "./member-right.ts";
import type { PairControl } from "./pair-control.ts";
import { standbySilenceMs } from "./pair-times.ts";

type PairMemberOptions = Omit<MemberJournalOptions, "client" | "happened"> &
  Omit<MemberLinkOptions, "name" | "journal" | "member"> &
  Pick<MemberLeaseOptions, "bus" | "leases"> & {
    readonly settings: MemberSettings;
    readonly pagesWithoutRight: boolean;
  };

/** Caller that waits for the answer to its request. */
type Answering = (answer: Result<undefined, string>) => void;

/** Interval of the member's clock, ms. */
const tickMs = 200;

/** Runs one member of a pair: does what its state machine says, and tells it what happened. */
export class PairMember implements PairControl {
  readonly right: MemberRight;
  readonly #options: PairMemberOptions;
  readonly #report: MemberReport;
  readonly #journal: MemberJournal;
  readonly #lease: MemberLease;
  readonly #link: MemberLink;
  readonly #exited = Promise.withResolvers<void>();
  #member: Member;
  /** Actions are done in their order, each after the one before. */
  #chain: Promise<void> = Promise.resolve();
  readonly #switching: Answering[] = [];
  readonly #promoting: Answering[] = [];
  #cancelTick = (): void => {};
  #stopDown = (): void => {};
  #isClosed = false;
  #documentDiffers = false;

  constructor(options: PairMemberOptions) {
    this.#options = options;
    const { settings, times, follower } = options;
    this.#journal = new MemberJournal({
      ...options,
      client: () => this.#link.client,
      happened: (event) => this.#dispatch(event),
    });
    this.#lease = new MemberLease({
      ...options,
      member: settings.member,
      now: () => this.#now(),
      happened: (event) => this.#dispatch(event),
    });
    this.#report = new MemberReport({
      ...options,
      member: settings.member,
      documentDiffers: () => this.#documentDiffers,
    });
    const mark = parseMark(follower.facts());
    this.#member = newMember(settings, mark, journalLength(follower.position()), this.#now());
    this.right = new MemberRight({
      remainingMs: () => rightRemainingMs(this.#member, this.#now()),
      longestActionMs: times.longestActionMs,
      pagesWithoutRight: options.pagesWithoutRight,
      whyEnded: () => memberStatusOf(this.#member, this.#now()).reason,
    });
    this.#link = new MemberLink({
      ...options,
      name: settings.member,
      journal: this.#journal,
      member: this.#linked(),
    });
  }

  #linked(): LinkedMember {
    return {
      now: () => this.#now(),
      facts: () => ({ ...factsOf(this.#member, this.#now()), documentDiffers: this.#documentDiffers }),
      problemOf: (peer) => peerProblem(this.#member, peer),
      promise: () => {
        if (!mayPromise(this.#member, this.#now())) return false;
        this.#dispatch({ kind: "promised" });
        return true;
      },
      settled: () => this.#chain,
      activeName: () => this.status().active,
      switch: () => this.switch("the other member"),
      happened: (event) => this.#dispatch(event),
      acknowledged: () => this.#reportProgress(),
      rowsShown: (atMs) => this.#report.rowsShown(atMs),
    };
  }

  /** Begins to take part. */
  start(): void {
    this.#stopDown = this.#lease.watch();
    this.#link.client.start();
    this.#cancelTick = repeat(this.#options.clock, tickMs, () => this.#tick());
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
    await this.#link.client.close();
    await this.#journal.close();
  }

  status(): PairStatus {
    return this.#report.status(this.#member, this.#now());
  }

  async switch(by: string): Promise<Result<PairStatus, string>> {
    this.#options.log.info({ by }, "pair: a switch is asked for");
    const facts = factsOf(this.#member, this.#now());
    if (!facts.active) {
      const switched = await this.#link.calls.ask({ kind: "switch" });
      return switched.ok ? ok(this.status()) : switched;
    }
    return this.#request("switchRequested", this.#switching);
  }

  async promote(by: string, force: boolean): Promise<Result<PairStatus, string>> {
    this.#options.log.warn({ by, force }, "pair: this member is to be made active by hand");
    if (!force) return fail("what the other member alone has may be lost: ask for it with force");
    return this.#request("promoteRequested", this.#promoting);
  }

  /** Passes a request on and waits among `waiting` for its answer. */
  async #request(
    kind: "switchRequested" | "promoteRequested",
    waiting: Answering[],
  ): Promise<Result<PairStatus, string>> {
    const asked = Promise.withResolvers<Result<undefined, string>>();
    waiting.push(asked.resolve);
    this.#dispatch({ kind });
    const answer = await asked.promise;
    return answer.ok ? ok(this.status()) : answer;
  }

  follow(frame: Uint8Array): Promise<Result<Uint8Array, string>> {
    return this.#link.answer(frame);
  }

  /** Calls the engine of the active member. Rejects with a `MemberCallError`. */
  forward(...call: Parameters<PeerCalls["forward"]>): Promise<unknown> {
    return this.#link.calls.forward(...call);
  }

  dependencies(readError: string): readonly DependencyStatus[] {
    return [pairDependency(this.status(), readError)];
  }

  /** Reloads the configuration of the agent that runs in this member. Returns false when none does. */
  reload(): boolean {
    const { duty } = this.#journal;
    duty?.reload();
    return duty !== undefined;
  }

  journalReplaced(): void {
    this.#link.journalReplaced();
  }

  #now(): MemberTime {
    const { clock } = this.#options;
    return { nowMs: clock.monotonic(), wallMs: clock.now() };
  }

  /** [PA57] Compares this member's document with the running one. At each tick, because documents may be large. */
  #compareDocuments(): void {
    const { plans } = this.#options;
    const { follower } = this.#journal;
    const running = follower === undefined ? plans.running : follower.document();
    this.#documentDiffers = running !== undefined && running !== "" && running !== plans.own.document;
  }

  #dispatch(event: MemberEvent): void {
    if (this.#isClosed) return;
    const { member, actions } = stepMember(this.#member, event, this.#now());
    this.#member = member;
    if (!factsOf(member, this.#now()).active) this.#journal.forgetParts();
    this.right.update(this.#options.clock.monotonic());
    this.#journal.setEngineAlone(this.right.pagesWithoutRight && this.right.remainingMs() === 0);
    this.#report.changed(member, this.#now());
    // How many disks a group needs is obeyed before the next event: the barrier of a standby that joins counts on it.
    for (const action of actions) if (action.kind === "acknowledge") this.#journal.acknowledge(action.alone);
    const rest = actions.filter(({ kind }) => kind !== "acknowledge");
    // A renewal does not wait for a mark of an earlier step, which waits for the journal while a duty opens it.
    if (rest.every(({ kind }) => kind === "readLease" || kind === "writeLease")) void this.#performAll(rest);
    else this.#chain = this.#chain.then(() => this.#performAll(rest));
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
        return void this.#lease.read();
      case "writeLease":
        return void this.#lease.write(action);
      case "startDuty":
        return this.#startDuty(action.epoch);
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

  #startDuty(epoch: number): void {
    this.#journal.start({
      ...{ epoch, right: this.right, control: this },
      epochHeard: (heard) => this.#dispatch({ kind: "epochHeard", epoch: heard }),
      member: this.#options.settings.member,
      previousInstance: this.#lease.previousInstance,
      judgedUntilMs: this.#report.takeJudgedUntilMs(),
    });
  }

  #tick(): void {
    this.#compareDocuments();
    if (factsOf(this.#member, this.#now()).active) {
      if (this.#link.fallsSilent(standbySilenceMs))
        this.#dispatch({ kind: "linkLost", why: "the standby asks no more" });
      this.#reportProgress();
    }
    this.#dispatch({ kind: "tick" });
  }

  #reportProgress(): void {
    const progress = this.#journal.progress();
    if (progress !== undefined) this.#dispatch({ kind: "progress", progress });
  }
}

function answerAll(waiting: Answering[], answer: Result<undefined, string>): void {
  for (const resolve of waiting.splice(0)) resolve(answer);
}

const parseMark = (json: string | undefined): JournalMark =>
  json === undefined ? emptyMark : { ...emptyMark, ...(JSON.parse(json) as Partial<JournalMark>) };
