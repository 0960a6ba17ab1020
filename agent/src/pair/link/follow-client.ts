import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import type { FollowResult, PieceResult } from "../journal/follow-result.ts";
import type { JournalFollower } from "../journal/journal-follower.ts";
import type { MemberTime } from "../member/member-event.ts";
import type { MemberFacts } from "../member/member-facts.ts";
import type { ActiveAnswer, FollowAnswer, FollowRequest, SnapshotPlace } from "./follow-messages.ts";
import type { LinkCaller } from "./link-sessions.ts";

export type FollowClientOptions = {
  readonly clock: Clock;
  readonly caller: Pick<LinkCaller, "call" | "endSession">;
  /** Longest time without an answer, ms. */
  readonly timeoutMs: number;
  /** Delay after a failed call, and between calls of a member that is not active, ms. */
  readonly retryMs: number;
  facts(): MemberFacts;
  /** Resolves when what was to be noted in the journal until now is durable: a promise must not be made before. */
  settled(): Promise<unknown>;
  /** Journal of this member; undefined while it is not open for following. */
  follower(): JournalFollower | undefined;
  /** Notes a promise, if one may be made now. Called just before a request is sent. */
  promise(): boolean;
  /** `answers`: time before the request was sent. */
  heard(peer: MemberFacts, answers: MemberTime): void;
  lost(why: string): void;
  /** Called when the other member refuses this one. */
  refused(why: string, peer: MemberFacts): void;
  /** Called after each answer that was applied. `hasAll`: this member has everything that `active` had. */
  followed(position: JournalPosition, active: { readonly facts: MemberFacts; readonly hasAll: boolean }): void;
  /** Called before a snapshot replaces the journal. */
  snapshotBegun(): void;
  /** Called when groups or a snapshot could not be applied. */
  failed(why: string): void;
  /** Shows rows, catalog and plan of the active member. Rejects when all rows are needed again, as the first of another feed. */
  show(answer: ActiveAnswer, feed: number): Promise<void>;
  /** Called when an answer could not be shown; all rows are asked for again. */
  notShown(why: string): void;
};

/** Number of answers that may wait to be shown, and time until the next is shown after one that could not be, ms. */
const [maxUnshown, showAgainMs] = [4, 1_000];

/** Calling end of the link: asks the other member again and again for what comes next, and applies it. */
export class FollowClient {
  readonly #options: FollowClientOptions;
  readonly #closing = new AbortController();
  #isPaused = true;
  #resume = Promise.withResolvers<void>();
  /** Resolved by a pause. */
  #pausing = Promise.withResolvers<void>();
  #running: Promise<void>;
  #answered = 0;
  #snapshot: SnapshotPlace | undefined;
  /** Number of the session, whose rows are one feed. */
  #feed = 1;
  /** Number of answers that are not shown yet, and the end of showing the last of them. */
  #unshown = 0;
  #showing: Promise<void> = Promise.resolve();
  /** Last question and what its answer leads to, which never rejects. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FollowClientOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Begins or goes on to ask. */
  start(): void {
    if (this.#isPaused) this.#pausing = Promise.withResolvers();
    this.#isPaused = false;
    this.#resume.resolve();
  }

  /** Stops asking and showing; later all rows, the catalog and the plan are asked for again. Resolves when nothing is being applied. */
  async pause(): Promise<void> {
    if (!this.#isPaused) this.#resume = Promise.withResolvers();
    this.#isPaused = true;
    this.#pausing.resolve();
    this.#snapshot = undefined;
    await this.#turn;
    this.#beginAnew();
  }

  /** Begins another session, which asks for all rows, the catalog and the plan again. */
  #beginAnew(): void {
    this.#options.caller.endSession();
    this.#answered = 0;
    this.#feed += 1;
  }

  async close(): Promise<void> {
    this.#isPaused = false;
    this.#closing.abort();
    this.#resume.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, retryMs } = this.#options;
    while (!this.#closing.signal.aborted) {
      await this.#resume.promise;
      if (this.#closing.signal.aborted) return;
      const turn = this.#ask();
      this.#turn = turn.catch(() => {});
      const goesOn = await turn;
      if (!goesOn) await sleep(clock, retryMs, this.#closing.signal).catch(() => {});
    }
  }

  /** Asks once. Resolves with true when the next request is to follow at once. */
  async #ask(): Promise<boolean> {
    const { clock, caller, timeoutMs, heard, lost, refused, facts, follower, settled } = this.#options;
    // Waits for the journal. A step that the journal waits for may itself wait for a pause, so a pause ends the wait.
    await Promise.race([settled(), this.#pausing.promise]);
    if (this.#isPaused) return false;
    const askedAt = { nowMs: clock.monotonic(), wallMs: clock.now() };
    const feed = this.#feed;
    const request: FollowRequest = {
      ...{ kind: "follow", facts: facts(), answers: this.#answered, promises: this.#options.promise() },
      ...{ journal: follower()?.position(), snapshot: this.#snapshot, takesRows: this.#unshown < maxUnshown },
    };
    let answer: FollowAnswer;
    try {
      const received = await caller.call(request, timeoutMs, this.#closing.signal);
      answer = received.body as FollowAnswer;
    } catch (error) {
      // The peer sends each row once, and the rows of this answer are lost: a new session gets all rows again.
      this.#beginAnew();
      if (!this.#closing.signal.aborted) lost(errorText(error));
      return false;
    }
    if (feed === this.#feed) this.#answered = answer.number;
    if (answer.refusal !== "") {
      refused(answer.refusal, answer.facts);
      return false;
    }
    heard(answer.facts, askedAt);
    if (answer.active === undefined || this.#isPaused) return false;
    if (request.takesRows) this.#show(answer.active, feed);
    return this.#apply(answer.facts, answer.active);
  }

  /** [PA62] Shows an answer after those before it. Nothing waits for that: a slow port must not delay the journal. */
  #show(answer: ActiveAnswer, feed: number): void {
    this.#unshown += 1;
    this.#showing = this.#showing
      .then(() => (feed === this.#feed ? this.#options.show(answer, feed) : undefined))
      .catch((error: unknown) => this.#showAgainLater(errorText(error)))
      .finally(() => {
        this.#unshown -= 1;
      });
  }

  async #showAgainLater(why: string): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#beginAnew();
    this.#options.notShown(why);
    await sleep(this.#options.clock, showAgainMs, signal).catch(() => {});
  }

  async #apply(facts: MemberFacts, answer: ActiveAnswer): Promise<boolean> {
    const { follower, followed } = this.#options;
    const journal = follower();
    if (journal === undefined) return false;
    const isApplied = await this.#applyJournal(journal, answer);
    const end = journal.position();
    const hasAll = this.#snapshot === undefined && answer.tail !== undefined && end.position >= answer.journal.position;
    followed(end, { facts, hasAll });
    return isApplied;
  }

  /** Resolves with false when the disk failed: the same is asked for again later. */
  async #applyJournal(journal: JournalFollower, { tail, snapshot }: ActiveAnswer): Promise<boolean> {
    if (snapshot !== undefined) return this.#noteOutcome(await journal.takePiece(snapshot), snapshot.id);
    if (this.#snapshot !== undefined || tail === undefined || tail.kind === "snapshot") this.#beginSnapshot();
    else if (tail.kind === "groups" || tail.cursors.length > 0) {
      const lines = tail.kind === "groups" ? tail.lines : new Uint8Array();
      return this.#noteOutcome(await journal.apply(lines, tail.cursors), "");
    }
    return true;
  }

  #beginSnapshot(): void {
    if (this.#snapshot === undefined) this.#options.snapshotBegun();
    this.#snapshot = { id: "", offset: 0 };
  }

  #noteOutcome(outcome: PieceResult | FollowResult, id: string): boolean {
    switch (outcome.kind) {
      case "waiting":
        this.#snapshot = { id, offset: outcome.offset };
        return true;
      case "applied":
        this.#snapshot = undefined;
        return true;
      case "diverged":
        this.#options.failed(outcome.why);
        this.#beginSnapshot();
        return true;
      default:
        this.#options.failed(outcome.why);
        return false;
    }
  }
}
