import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import {
  type CursorEntries,
  type GroupShipping,
  type GroupWaiter,
  joinGroupLines,
  type ShippedGroup,
  type ShippedWrite,
} from "../../journal/shipping/group-shipping.ts";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";

/** Most bytes of groups that are kept for a standby that is behind; four times as many while it reads a snapshot. */
const defaultMaxBytes = 64 * 1024 * 1024;
/** Bytes of an answer after which no further group is added. */
const answerBytes = 2 * 1024 * 1024;

/** Groups of the active member for its standby. */
export type ShippedTail =
  | {
      readonly kind: "groups";
      /** Position of the last of them. */
      readonly to: number;
      /** The groups, in order, as `JournalFollower.apply` takes them. */
      readonly lines: Uint8Array;
      readonly cursors: CursorEntries;
    }
  /** The standby has everything. */
  | { readonly kind: "none"; readonly cursors: CursorEntries }
  /** The groups were dropped: the standby needs a snapshot. */
  | { readonly kind: "snapshot" };

type KeptGroup = ShippedGroup & { readonly atMs: number };
type Waiter = { readonly position: number; readonly waiter: GroupWaiter; done(result: Result<void, string>): void };

/** Groups that the active member has committed, until its standby has them. */
export class JournalShipper implements GroupShipping {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #position: JournalPosition = {
    position: 0,
    terms: [],
    counters: { command: 0, history: 0, audit: 0 },
    empty: true,
  };
  /** Kept groups, in order. The first `#first` of them were dropped. */
  #groups: KeptGroup[] = [];
  #first = 0;
  #bytes = 0;
  #holds = 0;
  /** Position up to which the standby has everything; -1 until it has said so. */
  #acknowledged = -1;
  /** Since when the standby lacks a group that is not kept, on the monotonic clock. */
  #lackingSinceMs: number | undefined;
  #waiters: Waiter[] = [];
  #alone = false;
  #engineAlone = false;
  #ended: string | undefined;
  /** Cursors, each with the position before which it may not be stored: its records are in the groups up to there. */
  readonly #cursors = new Map<string, { readonly seq: number; readonly position: number }>();
  readonly #wakers = new Set<() => void>();

  constructor({ clock, maxBytes = defaultMaxBytes }: { readonly clock: Clock; readonly maxBytes?: number }) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  start(position: JournalPosition, cursors: CursorEntries): void {
    this.#position = position;
    // Until the standby has said what it has, it may lack everything.
    this.#lackingSinceMs = this.#clock.monotonic();
    this.#noteCursors(cursors);
  }

  take({ groups, counters, terms }: ShippedWrite, cursors: CursorEntries): void {
    const atMs = this.#clock.monotonic();
    for (const group of groups) {
      this.#groups.push({ ...group, atMs });
      this.#bytes += group.line.length;
    }
    const position = groups.at(-1)?.position ?? this.#position.position;
    const empty = this.#position.empty && groups.length === 0;
    this.#position = { position, terms: terms ?? this.#position.terms, counters, empty };
    this.#noteCursors(cursors);
    this.#dropOldest();
    if (groups.length > 0) this.#wake();
  }

  lastPosition(): number {
    return this.#position.position;
  }

  /** End of the journal, as it was committed. */
  position(): JournalPosition {
    return this.#position;
  }

  confirmed(position: number, waiter: GroupWaiter): Promise<Result<void, string>> {
    if (this.#ended !== undefined) return Promise.resolve(fail(this.#ended));
    if (this.#isReady({ position, waiter })) return Promise.resolve(ok(undefined));
    return new Promise((done) => this.#waiters.push({ position, waiter, done }));
  }

  #isReady({ position, waiter }: Omit<Waiter, "done">): boolean {
    return this.#alone || position <= this.#acknowledged || (this.#engineAlone && waiter === "engine");
  }

  /**
   * Groups after a position, which must be one of this journal (`relationOf`). Waits up to `waitMs` for the first one.
   * Ends at once when `end` was called and there is no further group.
   */
  async next(afterPosition: number, waitMs: number): Promise<ShippedTail> {
    if (afterPosition === this.lastPosition() && this.#ended === undefined) await this.#change(waitMs);
    const last = this.lastPosition();
    if (afterPosition === last) return { kind: "none", cursors: this.#cursorsUpTo(last) };
    const first = this.#groups[this.#first]?.position;
    if (first === undefined || afterPosition < first - 1 || afterPosition > last) return { kind: "snapshot" };
    const groups: KeptGroup[] = [];
    let bytes = 0;
    for (let at = this.#first + afterPosition - first + 1; at < this.#groups.length; at++) {
      const group = this.#groups[at];
      if (group === undefined || (bytes > 0 && bytes + group.line.length > answerBytes)) break;
      groups.push(group);
      bytes += group.line.length;
    }
    const to = groups.at(-1)?.position ?? afterPosition;
    return { kind: "groups", to, lines: joinGroupLines(groups), cursors: this.#cursorsUpTo(to) };
  }

  /** Notes that the standby has all groups up to a position on its disk. Its position must be one of this journal. */
  acknowledge(position: number): void {
    this.#acknowledged = Math.min(position, this.lastPosition());
    const keptFrom = this.#groups[this.#first]?.position ?? this.lastPosition() + 1;
    this.#lackingSinceMs =
      this.#acknowledged >= keptFrom - 1 ? undefined : (this.#lackingSinceMs ?? this.#clock.monotonic());
    this.#dropOldest();
    this.#answer();
  }

  /** True when the standby has everything that was committed. */
  get inSync(): boolean {
    return this.#acknowledged >= this.lastPosition();
  }

  /** Last position that the standby has acknowledged; -1 until it has said so. */
  acknowledgedPosition(): number {
    return this.#acknowledged;
  }

  /** Monotonic time since which the standby lacks a group; undefined when it has everything. */
  laggingSinceMs(): number | undefined {
    return this.inSync ? undefined : (this.#lackingSinceMs ?? this.#firstUnacknowledged()?.atMs);
  }

  /** Age of the oldest group that the standby lacks, ms; 0 when it has everything. */
  lagMs(): number {
    const since = this.laggingSinceMs();
    return since === undefined ? 0 : this.#clock.monotonic() - since;
  }

  /** Age of the oldest group whose callers wait for the standby, ms; 0 when none waits. */
  oldestUnconfirmedMs(): number {
    const position = this.#waiters[0]?.position;
    if (position === undefined) return 0;
    const first = this.#groups[this.#first];
    const oldest = this.#groups[this.#first + Math.max(0, position - (first?.position ?? position))];
    return oldest === undefined ? this.lagMs() : this.#clock.monotonic() - oldest.atMs;
  }

  /** True when writes are answered without the standby. */
  get alone(): boolean {
    return this.#alone;
  }

  /** Answers all writes without waiting for the standby; to be called once the lease says that it is not in sync. */
  runAlone(): void {
    this.#alone = true;
    this.#answer();
  }

  /** Answers further writes only once the standby has them; to be called before the lease says that it is in sync. */
  runTogether(): void {
    this.#alone = false;
  }

  /** [PA44] Lets the engine go on without the standby, or no longer; clients are not answered. */
  setEngineAlone(alone: boolean): void {
    if (alone === this.#engineAlone) return;
    this.#engineAlone = alone;
    this.#answer();
  }

  /** Keeps more groups until the returned function is called: those after a snapshot that the standby is reading. */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (held) this.#holds--;
      held = false;
      this.#dropOldest();
    };
  }

  /**
   * Fails all writes that wait for the standby, and those that come, with a sentence: the member gives up its role. The
   * groups can still be read.
   */
  end(why: string): void {
    this.#ended ??= why;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { done } of waiters) done(fail(why));
    this.#wake();
  }

  #firstUnacknowledged(): KeptGroup | undefined {
    const first = this.#groups[this.#first];
    return first && this.#groups[this.#first + Math.max(0, this.#acknowledged + 1 - first.position)];
  }

  #answer(): void {
    if (this.#engineAlone) {
      const ready = this.#waiters.filter((waiter) => this.#isReady(waiter));
      this.#waiters = this.#waiters.filter((waiter) => !this.#isReady(waiter));
      for (const { done } of ready) done(ok(undefined));
      return;
    }
    const count = this.#alone
      ? this.#waiters.length
      : this.#waiters.findIndex(({ position }) => position > this.#acknowledged);
    const ready = count < 0 ? this.#waiters.splice(0) : this.#waiters.splice(0, count);
    for (const { done } of ready) done(ok(undefined));
  }

  /** Drops groups that the standby has, and the oldest ones beyond the limit. */
  #dropOldest(): void {
    const most = this.#holds > 0 ? this.#maxBytes * 4 : this.#maxBytes;
    for (let group = this.#groups[this.#first]; group !== undefined; group = this.#groups[this.#first]) {
      if (group.position > this.#acknowledged) {
        if (this.#bytes <= most) break;
        this.#lackingSinceMs ??= group.atMs;
      }
      this.#bytes -= group.line.length;
      this.#first++;
    }
    // Removing from the front of an array moves all others, so it is done rarely.
    if (this.#first < 1_000 && this.#first < this.#groups.length) return;
    this.#groups.splice(0, this.#first);
    this.#first = 0;
  }

  #noteCursors(cursors: CursorEntries): void {
    const { position } = this.#position;
    for (const [name, seq] of cursors) this.#cursors.set(name, { seq, position });
  }

  #cursorsUpTo(position: number): CursorEntries {
    return [...this.#cursors].filter(([, cursor]) => cursor.position <= position).map(([name, { seq }]) => [name, seq]);
  }

  /** Resolves at the next group or end, or after `waitMs`. */
  #change(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakers.delete(wake);
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(waitMs, wake);
      this.#wakers.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#wakers]) wake();
  }
}
