import assert from "node:assert/strict";
import { fail, ok } from "@realmwatch/shared/model/result";
import { peerProblem } from "../hearing.ts";
import { type Member, newMember } from "../member.ts";
import type { MemberAction } from "../member-action.ts";
import type { MemberEvent, MemberTime } from "../member-event.ts";
import { emptyMark, type JournalMark, type MemberFacts } from "../member-facts.ts";
import { factsOf, mayPromise } from "../member-status.ts";
import { stepMember } from "../step-member.ts";
import type { ModelNats } from "./model-nats.fixture.ts";
import type { ModelTime } from "./model-world.fixture.ts";

export const modelLeaseMs = 9_000;

/** World that the processes of a model live in. */
interface ModelHost {
  readonly time: ModelTime;
  readonly nats: ModelNats;
  readonly staleReads: number;
  readonly lostAnswers: number;
  readonly limbo: number;
  readonly acknowledged: Map<number, number>;
  nextId(): number;
  otherOf(machine: ModelMachine): ModelMachine;
  linkDelay(): number;
  rightOf(process: ModelProcess): number;
  sawAction(process: ModelProcess, action: MemberAction): void;
}

/** Machine of a member: what survives its process. */
export class ModelMachine {
  readonly name: string;
  readonly #pair: ModelHost;
  readonly #rate: number;
  readonly #offsetMs: number;
  #suspendedMs = 0;
  #suspendedSince: number | undefined;
  wallOffsetMs: number;
  mark: JournalMark = emptyMark;
  log: number[];
  /** Version of the journal's schema, and length of the lease, of the program that starts next. */
  schema = 1;
  leaseMs = modelLeaseMs;
  natsUp = true;
  /** True while what this machine sends over the link arrives. */
  linkUp = true;
  process: ModelProcess | undefined;

  constructor(
    pair: ModelHost,
    name: string,
    at: { rate: number; offsetMs: number; wallOffsetMs: number; log: number[] },
  ) {
    this.#pair = pair;
    this.name = name;
    this.#rate = at.rate;
    this.#offsetMs = at.offsetMs;
    this.wallOffsetMs = at.wallOffsetMs;
    this.log = at.log;
  }

  time(): MemberTime {
    const { nowMs } = this.#pair.time;
    const asleepMs = this.#suspendedMs + (this.#suspendedSince === undefined ? 0 : nowMs - this.#suspendedSince);
    return { nowMs: this.#offsetMs + (nowMs - asleepMs) * this.#rate, wallMs: this.wallOffsetMs + nowMs };
  }

  start(): void {
    this.process ??= new ModelProcess(this.#pair, this);
  }

  kill(): void {
    this.process = undefined;
    this.resume();
  }

  /** Stops the machine with its monotonic clock. */
  suspend(): void {
    this.#suspendedSince ??= this.#pair.time.nowMs;
    if (this.process) this.process.frozen = true;
  }

  resume(): void {
    if (this.#suspendedSince !== undefined) this.#suspendedMs += this.#pair.time.nowMs - this.#suspendedSince;
    this.#suspendedSince = undefined;
    this.process?.thaw();
  }
}

type Call = {
  readonly facts: MemberFacts;
  readonly promises: boolean;
  readonly token: number;
  readonly log: readonly number[];
};
type Reply = {
  readonly facts: MemberFacts;
  readonly token: number;
  readonly log: readonly number[] | undefined;
  readonly refusal: string;
};

/** Process of a member: the state machine with a driver over the model's NATS, link and journal. */
export class ModelProcess {
  readonly machine: ModelMachine;
  readonly #pair: ModelHost;
  member: Member;
  frozen = false;
  /** Number of actions after which the process dies; Infinity for never. */
  actionsToLive = Number.POSITIVE_INFINITY;
  /** True when the next duty fails at its start. */
  dutyFails = false;
  #inbox: (() => void)[] = [];
  #alone = true;
  #duty = 0;
  #dutyRuns = false;
  #appendedAt: number[] = [];
  #standbyPosition = 0;
  #acknowledged = 0;
  #tokens = new Map<number, MemberTime>();
  #peerToken = 0;
  #openCall = 0;

  constructor(pair: ModelHost, machine: ModelMachine) {
    this.machine = machine;
    this.#pair = pair;
    const instance = `${machine.name}#${pair.nextId()}`;
    const settings = { realm: "fra", member: machine.name, instance, schema: machine.schema, leaseMs: machine.leaseMs };
    this.member = newMember(settings, machine.mark, machine.log.length, machine.time());
    this.#every(200, () => this.dispatch({ kind: "tick" }));
    this.#every(300, () => this.#call());
    this.#every(700, () => this.#append());
  }

  get isAlive(): boolean {
    return this.machine.process === this;
  }

  #every(ms: number, run: () => void): void {
    const again = (): void => {
      if (!this.isAlive) return;
      if (!this.frozen) run();
      this.#pair.time.after(ms * this.#pair.time.span(0.9, 1.1), again);
    };
    this.#pair.time.after(this.#pair.time.span(0, ms), again);
  }

  /** Runs now, or when the process is no longer frozen; never after its death. */
  whenAwake(run: () => void): void {
    if (!this.isAlive) return;
    if (this.frozen) this.#inbox.push(run);
    else run();
  }

  thaw(): void {
    this.frozen = false;
    const inbox = this.#inbox;
    this.#inbox = [];
    for (const run of inbox) this.whenAwake(run);
  }

  dispatch(event: MemberEvent): void {
    this.whenAwake(() => {
      const { member, actions } = stepMember(this.member, event, this.machine.time());
      this.member = member;
      for (const action of actions) {
        if (!this.isAlive) return;
        if (this.actionsToLive-- <= 0) return this.machine.kill();
        this.#pair.sawAction(this, action);
        this.#do(action);
      }
    });
  }

  #do(action: MemberAction): void {
    switch (action.kind) {
      case "readLease":
        return this.#readLease();
      case "writeLease":
        return this.#writeLease(action);
      case "markInJournal":
        this.machine.mark = action.mark;
        return;
      case "startDuty":
        return this.#startDuty();
      case "stopDuty":
        return this.#stopDuty();
      case "acknowledge":
        this.#alone = action.alone;
        return this.#acknowledge();
      case "exit":
        return this.machine.kill();
      default:
        return;
    }
  }

  #readLease(): void {
    const { time, nats } = this.#pair;
    const sentAt = this.machine.time();
    const failLater = (): void =>
      time.after(time.span(500, 2_000), () => this.dispatch({ kind: "leaseRead", sentAt, reading: fail("no answer") }));
    time.after(time.span(1, 60), () => {
      if (!this.machine.natsUp) return failLater();
      const reading = time.random() < this.#pair.staleReads ? nats.readStale() : nats.read();
      time.after(time.span(1, 60), () =>
        this.machine.natsUp ? this.dispatch({ kind: "leaseRead", sentAt, reading: ok(reading) }) : failLater(),
      );
    });
  }

  #writeLease({ lease, expectedSeq }: Extract<MemberAction, { kind: "writeLease" }>): void {
    const { time, nats } = this.#pair;
    const sentAt = this.machine.time();
    const answer = (writing: Extract<MemberEvent, { kind: "leaseWritten" }>["writing"]): void =>
      this.dispatch({ kind: "leaseWritten", sentAt, writing });
    const unknownLater = (): void =>
      time.after(time.span(500, 2_000), () => answer({ kind: "unknown", why: "no answer" }));
    const land = (): void => {
      if (!this.machine.natsUp) return unknownLater();
      const writing = nats.write(lease, expectedSeq);
      const isLost = time.random() < this.#pair.lostAnswers;
      time.after(time.span(1, 60), () => (this.machine.natsUp && !isLost ? answer(writing) : unknownLater()));
    };
    if (time.random() < this.#pair.limbo) {
      // It comes long after the writer has given up waiting.
      unknownLater();
      time.after(time.span(500, 30_000), () => this.machine.natsUp && nats.write(lease, expectedSeq));
    } else time.after(time.span(1, 60), () => (this.frozen ? this.whenAwake(land) : land()));
  }

  #startDuty(): void {
    const duty = ++this.#duty;
    this.#appendedAt = this.machine.log.map(() => this.machine.time().nowMs);
    this.#acknowledged = 0;
    this.#standbyPosition = 0;
    const fails = this.dutyFails;
    this.dutyFails = false;
    this.#pair.time.after(this.#pair.time.span(10, 600), () =>
      this.whenAwake(() => {
        if (this.#duty !== duty) return;
        this.#dutyRuns = !fails;
        this.dispatch(fails ? { kind: "dutyFailed", why: "the disk is full" } : { kind: "dutyStarted" });
      }),
    );
  }

  #stopDuty(): void {
    this.#duty++;
    this.#dutyRuns = false;
    this.#pair.time.after(this.#pair.time.span(10, 1_500), () =>
      this.dispatch({ kind: "dutyStopped", position: this.machine.log.length }),
    );
  }

  #append(): void {
    if (!this.#dutyRuns || this.member.phase.kind !== "active") return;
    this.machine.log.push(this.#pair.nextId());
    this.#appendedAt.push(this.machine.time().nowMs);
    this.#acknowledge();
    this.#reportProgress();
  }

  #reportProgress(): void {
    const position = this.machine.log.length;
    const standbyPosition = this.#standbyPosition;
    const laggingSinceMs = standbyPosition < position ? this.#appendedAt[standbyPosition] : undefined;
    this.dispatch({ kind: "progress", progress: { position, standbyPosition, laggingSinceMs } });
  }

  #acknowledge(): void {
    const { phase } = this.member;
    if (phase.kind !== "active" || this.#pair.rightOf(this) === 0) return;
    const upTo = this.#alone ? this.machine.log.length : Math.max(this.#acknowledged, this.#standbyPosition);
    for (const id of this.machine.log.slice(this.#acknowledged, upTo)) this.#pair.acknowledged.set(id, phase.term);
    this.#acknowledged = upTo;
  }

  #call(): void {
    const { phase } = this.member;
    if (phase.kind === "ended" || this.#openCall !== 0) return;
    if (phase.kind === "active" && this.#pair.rightOf(this) > 0) return;
    const id = this.#pair.nextId();
    this.#openCall = id;
    const sentAt = this.machine.time();
    const promises = mayPromise(this.member, this.machine.time());
    if (promises) this.dispatch({ kind: "promised" });
    const call: Call = {
      facts: factsOf(this.member, this.machine.time()),
      promises,
      token: this.#peerToken,
      log: [...this.machine.log],
    };
    const { time } = this.#pair;
    time.after(2_000, () =>
      this.whenAwake(() => {
        if (this.#openCall !== id) return;
        this.#openCall = 0;
        this.dispatch({ kind: "linkLost", why: "no answer" });
      }),
    );
    const other = this.#pair.otherOf(this.machine);
    time.after(this.#pair.linkDelay(), () => {
      if (!this.machine.linkUp) return;
      other.process?.whenAwake(() =>
        other.process?.answer(call, (reply) =>
          time.after(this.#pair.linkDelay(), () => {
            if (other.linkUp) this.whenAwake(() => this.#heardReply(id, sentAt, reply));
          }),
        ),
      );
    });
  }

  /** Answers a call of the other member. */
  answer({ facts, promises, token, log }: Call, reply: (reply: Reply) => void): void {
    const refusal = peerProblem(this.member, facts);
    this.dispatch({ kind: "heard", peer: facts, answers: this.#tokens.get(token), promises });
    if (!this.isAlive) return;
    const isActive = this.member.phase.kind === "active";
    if (isActive && refusal === "") {
      this.#standbyPosition = log.every((id, at) => this.machine.log[at] === id) ? log.length : 0;
      this.#acknowledge();
      this.#reportProgress();
    }
    if (!this.isAlive) return;
    const next = this.#pair.nextId();
    this.#tokens.set(next, this.machine.time());
    reply({
      facts: factsOf(this.member, this.machine.time()),
      token: next,
      log: this.member.phase.kind === "active" && refusal === "" ? [...this.machine.log] : undefined,
      refusal,
    });
  }

  #heardReply(id: number, answers: MemberTime, { facts, token, log, refusal }: Reply): void {
    if (this.#openCall !== id) return;
    this.#openCall = 0;
    if (refusal !== "" && peerProblem(this.member, facts) === "")
      return this.dispatch({ kind: "refused", why: refusal });
    if (refusal !== "") return this.dispatch({ kind: "heard", peer: facts, answers: undefined, promises: false });
    this.#peerToken = token;
    this.dispatch({ kind: "heard", peer: facts, answers, promises: false });
    if (!this.isAlive || log === undefined || !facts.active) return;
    const { phase, mark } = this.member;
    if (phase.kind !== "following" || mark.term !== facts.mark.term || this.member.unresolved) return;
    const isPrefix = this.machine.log.every((entry, at) => log[at] === entry);
    if (!isPrefix) this.dispatch({ kind: "snapshotBegun" });
    if (!this.isAlive) return;
    assert.ok(isPrefix || this.machine.mark.syncedTerm === 0);
    this.machine.log = [...log];
    this.dispatch({ kind: "followedAll", term: facts.mark.term, position: log.length });
  }
}
