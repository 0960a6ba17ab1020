import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { SentChange } from "@realmwatch/shared/row/sent-change";
import type { AgentPortHost } from "../../port-host/agent-port-host.ts";
import type { SnapshotPiece } from "../journal/follow-result.ts";
import { relationOf } from "../journal/journal-relation.ts";
import type { JournalShipper } from "../journal/journal-shipper.ts";
import type { SnapshotSource } from "../journal/snapshot-source.ts";
import type { MemberTime } from "../member/member-event.ts";
import type { MemberFacts } from "../member/member-facts.ts";
import type { ActiveAnswer, EngineCall, FollowAnswer, FollowRequest, SnapshotPlace } from "./follow-messages.ts";
import type { OwnEngine } from "./own-engine.ts";

/** The parts of an active member that its standby follows. */
export type ActiveParts = {
  readonly shipper: JournalShipper;
  readonly snapshots: SnapshotSource;
};

export type FollowServerOptions = {
  readonly clock: Clock;
  readonly port: Pick<AgentPortHost, "mirrorRows" | "versions" | "served">;
  now(): MemberTime;
  facts(): MemberFacts;
  /** Undefined of a member that is not active. */
  active(): ActiveParts | undefined;
  /** Returns the reason to refuse a member; empty for the other one of this pair. */
  refuse(peer: MemberFacts): string;
  /** `answers`: time before the answer was sent that the request follows. */
  heard(peer: MemberFacts, answers: MemberTime | undefined, promises: boolean): void;
  /** Called when the standby has acknowledged groups. */
  acknowledged(): void;
  readonly engine: OwnEngine;
  /** Longest time that a request waits for something new, or for the agent to start, ms. */
  readonly waitMs: number;
};

/** Maximum number of rows in an answer. */
const rowsPerAnswer = 5_000;
/** Answers of which the time of sending is remembered: a request follows one of the last. */
const rememberedAnswers = 16;

/** State of one follower: the answers and rows that it has got so far. */
type Follower = {
  readonly session: string;
  readonly sentAt: Map<number, MemberTime>;
  answers: number;
  readonly rows: { readonly changes: readonly SentChange[]; taken(): void }[];
  hasAllRows: boolean;
  readsSnapshot: boolean;
  rowsArrived: () => void;
  /** Active parts that the rows come from. */
  of: ActiveParts | undefined;
  /** Epoch of the rows when they began to be sent. */
  epoch: number;
  /** Versions of the catalog and the plan that it has. */
  catalog: number;
  plan: number;
};

/** Serving end of the link: answers a follower's requests, and calls of the engine that it sends on. */
export class FollowServer {
  readonly #options: FollowServerOptions;
  #follower: Follower | undefined;
  /** Copy of the journal that is being made for the follower. */
  #beginning: ReturnType<SnapshotSource["begin"]> | undefined;

  constructor(options: FollowServerOptions) {
    this.#options = options;
  }

  serve(request: FollowRequest | EngineCall, session: string): Promise<unknown> {
    const { engine, waitMs } = this.#options;
    return request.kind === "follow" ? this.#follow(request, session) : engine.call(request, waitMs);
  }

  async #follow(request: FollowRequest, session: string): Promise<FollowAnswer> {
    const { facts, refuse, heard, now, active } = this.#options;
    // An acknowledgement from another sender than the standby must not count: its entries are not on the standby's disk.
    const refusal = refuse(request.facts);
    if (refusal !== "") return { number: 0, facts: facts(), refusal, active: undefined };
    const follower = this.#followerOf(session);
    heard(request.facts, follower.sentAt.get(request.answers), request.promises);
    const parts = active();
    const answered = parts && (await this.#answer(parts, request, follower));
    follower.answers += 1;
    follower.sentAt.set(follower.answers, now());
    follower.sentAt.delete(follower.answers - rememberedAnswers);
    const stillActive = active() === parts ? answered : undefined;
    return { number: follower.answers, facts: facts(), refusal, active: stillActive };
  }

  #followerOf(session: string): Follower {
    if (this.#follower?.session !== session)
      this.#follower = {
        ...{
          session,
          sentAt: new Map(),
          answers: 0,
          rows: [],
          hasAllRows: false,
          readsSnapshot: false,
          rowsArrived: () => {},
        },
        ...{ of: undefined, epoch: 0, catalog: 0, plan: 0 },
      };
    return this.#follower;
  }

  async #answer(parts: ActiveParts, request: FollowRequest, follower: Follower): Promise<ActiveAnswer> {
    const { shipper, snapshots } = parts;
    if (request.takesRows && follower.of !== parts) this.#feedRows(parts, follower);
    const snapshot = request.snapshot && (await this.#piece(snapshots, request.snapshot));
    if (request.snapshot === undefined && follower.readsSnapshot) void snapshots.end();
    follower.readsSnapshot = request.snapshot !== undefined;
    const tail = await this.#tail(parts, request, follower);
    const { versions, served } = this.#options.port;
    const hasNew = { catalog: versions.catalog !== follower.catalog, plan: versions.plan !== follower.plan };
    if (request.takesRows) [follower.catalog, follower.plan] = [versions.catalog, versions.plan];
    const rows = request.takesRows ? takeRows(follower) : [];
    return {
      ...{ journal: shipper.position(), tail, snapshot, rows, epoch: follower.epoch },
      atMs: this.#options.now().wallMs,
      hasAllRows: follower.hasAllRows && follower.rows.length === 0,
      catalog: request.takesRows && hasNew.catalog ? served.realm?.catalog() : undefined,
      plan: request.takesRows && hasNew.plan ? served.plan() : undefined,
    };
  }

  /** Piece of a snapshot; undefined while it is being made, and when it is gone. */
  async #piece(snapshots: SnapshotSource, { id, offset }: SnapshotPlace): Promise<SnapshotPiece | undefined> {
    if (id !== "") {
      const piece = await snapshots.read(id, offset);
      return piece.ok ? piece.value : undefined;
    }
    this.#beginning ??= snapshots.begin();
    const begun = await Promise.race([this.#beginning, sleep(this.#options.clock, this.#options.waitMs)]);
    if (begun === undefined) return undefined;
    this.#beginning = undefined;
    return begun.ok ? begun.value : undefined;
  }

  /** Acknowledges what the follower has, and waits for what comes next. */
  async #tail({ shipper }: ActiveParts, { journal, snapshot, takesRows }: FollowRequest, follower: Follower) {
    const { clock, acknowledged } = this.#options;
    if (journal === undefined || relationOf(journal, shipper.position()).kind === "diverged") {
      if (snapshot === undefined) await sleep(clock, 20);
      return undefined;
    }
    shipper.acknowledge(journal.position);
    acknowledged();
    const hasRows = takesRows && follower.rows.length > 0;
    const waitMs = snapshot !== undefined || hasRows ? 0 : this.#options.waitMs;
    const rows = new Promise<undefined>((resolve) => {
      if (takesRows) follower.rowsArrived = () => resolve(undefined);
    });
    return (await Promise.race([shipper.next(journal.position, waitMs), rows])) ?? shipper.next(journal.position, 0);
  }

  #feedRows(parts: ActiveParts, follower: Follower): void {
    follower.of = parts;
    follower.epoch = this.#options.port.served.realm?.epoch() ?? 0;
    follower.rows.length = 0;
    follower.hasAllRows = false;
    this.#options.port.mirrorRows(
      (changes) =>
        new Promise<void>((taken) => {
          follower.rows.push({ changes, taken });
          follower.rowsArrived();
        }),
      () => {
        follower.hasAllRows = true;
        follower.rowsArrived();
      },
    );
  }
}

function takeRows(follower: Follower): readonly SentChange[] {
  const rows: SentChange[] = [];
  while (rows.length < rowsPerAnswer) {
    const batch = follower.rows.shift();
    if (batch === undefined) break;
    rows.push(...batch.changes);
    batch.taken();
  }
  return rows;
}
