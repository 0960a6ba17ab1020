import { fail, type Result } from "@realmwatch/shared/model/result";
import { otherSecret } from "../../platform/link/sealed-frame.ts";
import type { MemberEvent } from "../member/member-event.ts";
import type { MemberFacts } from "../member/member-facts.ts";
import type { MemberJournal, MemberJournalOptions } from "../member-journal.ts";
import type { PairTimes } from "../pair-times.ts";
import type { PlanCache } from "../plan-cache.ts";
import { DivergedMerge } from "./diverged-merge.ts";
import { FollowClient, type FollowClientOptions } from "./follow-client.ts";
import type { ActiveAnswer, LinkRequest } from "./follow-messages.ts";
import { FollowServer, type FollowServerOptions } from "./follow-server.ts";
import { LinkCaller, LinkSessions, type SendFrame } from "./link-sessions.ts";
import { OwnEngine } from "./own-engine.ts";
import { PeerCalls } from "./peer-calls.ts";

/** State of the member, as its link needs it. */
export interface LinkedMember
  extends Pick<FollowClientOptions, "facts" | "settled" | "promise">,
    Pick<FollowServerOptions, "now" | "acknowledged"> {
  /** Reason to refuse another member; empty for none. */
  problemOf(peer: MemberFacts): string;
  /** Name of the active member; empty when none is known. */
  activeName(): string;
  /** Hands the realm over, asked by the other member. */
  switch(): Promise<Result<unknown, string>>;
  happened(event: MemberEvent): void;
  /** Called when the port shows the rows of the active member up to a time, Unix ms. */
  rowsShown(atMs: number): void;
}

export type MemberLinkOptions = Pick<MemberJournalOptions, "clock" | "log" | "port"> & {
  /** Name of the member. */
  readonly name: string;
  readonly times: PairTimes;
  readonly secret: Uint8Array;
  readonly send: SendFrame;
  readonly plans: PlanCache;
  readonly dataDir: string;
  readonly journal: MemberJournal;
  readonly member: LinkedMember;
};

/** Link of a member to the other one, in both directions. */
export class MemberLink {
  readonly client: FollowClient;
  readonly calls: PeerCalls;
  readonly #options: MemberLinkOptions;
  readonly #engine: OwnEngine;
  readonly #sessions: LinkSessions;
  readonly #server: FollowServer;
  readonly #divergedMerge: DivergedMerge;
  #lastHeardMs = Number.NEGATIVE_INFINITY;

  constructor(options: MemberLinkOptions) {
    this.#options = options;
    const { log, name, times, secret, send, dataDir, member } = options;
    const caller = new LinkCaller(secret, send);
    const waitMs = Math.min(1_000, times.renewalMs / 2);
    this.#engine = new OwnEngine({
      ...{ clock: options.clock, port: options.port },
      isActive: () => member.facts().active,
      // The start is among the member's actions, which are done one after the other.
      started: () => member.settled().then(() => options.journal.opening),
    });
    this.calls = new PeerCalls({ caller, own: this.#engine, member: name, active: member.activeName });
    this.#sessions = new LinkSessions(secret);
    this.#server = this.#openServer(waitMs);
    this.client = this.#openClient(caller, waitMs);
    this.#divergedMerge = new DivergedMerge({
      ...{ dataDir, log },
      send: (slice) => this.calls.ask({ kind: "merge", member: name, slice }),
    });
  }

  /** Answers a frame of the other member. Fails with a sentence when it does not prove the secret. */
  answer(frame: Uint8Array): Promise<Result<Uint8Array, string>> {
    return this.#sessions.answer(frame, (body, session) => this.#serve(body as LinkRequest, session));
  }

  /** Returns true once, when the other member has asked nothing for longer than `silenceMs`. */
  fallsSilent(silenceMs: number): boolean {
    if (this.#lastHeardMs < 0 || this.#options.clock.monotonic() - this.#lastHeardMs <= silenceMs) return false;
    this.#lastHeardMs = Number.NEGATIVE_INFINITY;
    return true;
  }

  /** Reads from the journal that a snapshot has put in place; the one before may have been copied. */
  journalReplaced(): void {
    this.#options.port.reopenJournal();
    this.#divergedMerge.expect();
  }

  #serve(request: LinkRequest, session: string): Promise<unknown> {
    const { member, journal } = this.#options;
    if (request.kind === "switch") return member.switch();
    if (request.kind !== "merge") return this.#server.serve(request, session);
    const merged = journal.duty?.merge(request.member, request.slice);
    return merged ?? Promise.resolve(fail("this member is not active"));
  }

  #openServer(waitMs: number): FollowServer {
    const { clock, port, journal, member } = this.#options;
    return new FollowServer({
      ...{ clock, port, waitMs, engine: this.#engine },
      now: member.now,
      facts: member.facts,
      refuse(peer) {
        const problem = member.problemOf(peer);
        if (problem !== "") member.happened({ kind: "heard", peer, answers: undefined, promises: false });
        return problem;
      },
      // Also after the end of the duty, until the realm is given up.
      active: () => (member.facts().active ? journal.parts : undefined),
      heard: (peer, answers, promises) => {
        this.#lastHeardMs = clock.monotonic();
        member.happened({ kind: "heard", peer, answers, promises });
      },
      acknowledged: member.acknowledged,
    });
  }

  #openClient(caller: LinkCaller, waitMs: number): FollowClient {
    const { clock, log, plans, journal, member } = this.#options;
    return new FollowClient({
      ...{ clock, caller, timeoutMs: Math.ceil(2 * waitMs) + 1_000, retryMs: waitMs / 4 },
      facts: member.facts,
      settled: member.settled,
      follower: () => journal.follower,
      promise: member.promise,
      heard: (peer, answers) => member.happened({ kind: "heard", peer, answers, promises: false }),
      lost: (why) => {
        member.happened({ kind: "linkLost", why });
        if (why.includes(otherSecret)) member.happened({ kind: "refused", why });
      },
      refused(why, peer) {
        // A difference that this member sees too is its own refusal: it knows what kind that is.
        const isMutual = member.problemOf(peer) !== "";
        member.happened(
          isMutual ? { kind: "heard", peer, answers: undefined, promises: false } : { kind: "refused", why },
        );
      },
      followed: ({ position }, { facts, hasAll }) => {
        void plans.planFor(journal.follower?.document());
        if (hasAll) void this.#divergedMerge.run();
        const { term } = facts.mark;
        member.happened(hasAll ? { kind: "followedAll", term, position } : { kind: "followed", position });
      },
      snapshotBegun: () => member.happened({ kind: "snapshotBegun" }),
      failed: (why) => log.error({ why }, "pair: groups or a snapshot of the active member cannot be applied"),
      show: (answer, feed) => this.#show(answer, feed),
      notShown: (why) => log.warn({ why }, "pair: rows of the active member cannot be shown; all are asked for again"),
    });
  }

  async #show({ rows, catalog, plan, hasAllRows, epoch, atMs }: ActiveAnswer, feed: number): Promise<void> {
    const { port, member } = this.#options;
    await port.showOther({ feed, rows, catalog, plan, completeEpoch: hasAllRows ? epoch : undefined });
    if (hasAllRows) member.rowsShown(atMs);
  }
}
