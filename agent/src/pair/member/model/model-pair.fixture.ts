import assert from "node:assert/strict";
import type { Member } from "../member.ts";
import type { MemberAction } from "../member-action.ts";
import { emptyMark } from "../member-facts.ts";
import { memberStatusOf } from "../member-status.ts";
import { rightRemainingMs } from "../right.ts";
import { ModelNats } from "./model-nats.fixture.ts";
import { ModelMachine, type ModelProcess, modelLeaseMs } from "./model-process.fixture.ts";
import { ModelTime } from "./model-world.fixture.ts";

/** Circumstances in which a run of the model begins. */
export type ModelStart = {
  readonly seed: number;
  readonly rates: readonly [number, number];
  readonly wallOffsetsMs: readonly [number, number];
  readonly lengths: readonly [number, number];
  readonly staleReads: number;
  readonly lostAnswers: number;
  readonly limbo: number;
};

/** Short text of an action for the trace. */
function describe(action: MemberAction): string {
  if (action.kind !== "writeLease") return JSON.stringify(action).replaceAll('"', "");
  const { member, term, inSync, goodbye } = action.lease;
  return `writes ${member} ${term % 10_000_000} ${inSync ? "inSync" : "-"} ${goodbye ? "goodbye" : ""} on ${action.expectedSeq}`;
}

/** Two members with their machines, NATS and link, and the invariants of a pair, which are checked after every event. */
export class ModelPair {
  readonly time: ModelTime;
  readonly nats = new ModelNats();
  readonly machines: readonly [ModelMachine, ModelMachine];
  staleReads: number;
  lostAnswers: number;
  limbo: number;
  linkSlow = false;
  /** Term of every acknowledged group. */
  readonly acknowledged = new Map<number, number>();
  readonly trace: string[] = [];
  readonly takeovers: { readonly reason: string; readonly term: number; readonly to: string }[] = [];
  readonly answers: string[] = [];
  forcedTerm = 0;
  readonly #forcedClaims = new Set<number>();
  #ids = 0;

  constructor({ seed, rates, wallOffsetsMs, lengths, staleReads, lostAnswers, limbo }: ModelStart) {
    this.time = new ModelTime(seed, () => this.#checkRights());
    this.staleReads = staleReads;
    this.lostAnswers = lostAnswers;
    this.limbo = limbo;
    const common = Array.from({ length: Math.min(...lengths) }, () => this.nextId());
    const machine = (name: string, at: 0 | 1): ModelMachine =>
      new ModelMachine(this, name, {
        rate: rates[at],
        offsetMs: 1_000_000 * (at + 1),
        wallOffsetMs: 1_795_000_000_000 + wallOffsetsMs[at],
        log: [...common, ...Array.from({ length: lengths[at] - common.length }, () => this.nextId())],
      });
    this.machines = [machine("fra-a", 0), machine("fra-b", 1)];
  }

  nextId(): number {
    return ++this.#ids;
  }

  otherOf(machine: ModelMachine): ModelMachine {
    return machine === this.machines[0] ? this.machines[1] : this.machines[0];
  }

  linkDelay(): number {
    return this.linkSlow ? this.time.span(200, 3_000) : this.time.span(1, 80);
  }

  rightOf({ member, machine }: ModelProcess): number {
    return rightRemainingMs(member, machine.time());
  }

  note(text: string): void {
    this.trace.push(`${(this.time.nowMs / 1_000).toFixed(2)} ${text}`);
  }

  /** Notes an action before it is done, and checks it. */
  sawAction({ machine, member }: ModelProcess, action: MemberAction): void {
    if (action.kind !== "readLease") this.note(`${machine.name} ${describe(action)}`);
    if (action.kind === "answerSwitch" || action.kind === "answerPromote")
      this.answers.push(action.answer.ok ? "ok" : action.answer.error);
    if (action.kind === "writeLease") this.#checkExpectedSequence(member, action.expectedSeq);
    const { phase } = member;
    if (action.kind === "writeLease" && phase.kind === "claiming" && phase.reason === "forced")
      this.#forcedClaims.add(action.lease.term);
    if (action.kind !== "startDuty") return;
    // The operator's word stands against what the other member may have acknowledged.
    if (phase.kind === "active" && phase.forcedRight) this.nats.lostMeaning = true;
    this.#checkTakeover(machine, action.reason, action.epoch);
  }

  /** A lease replaces only what its writer has read or written. */
  #checkExpectedSequence({ watch, phase }: Member, expectedSeq: number): void {
    const known = [watch?.reading.seq, phase.kind === "active" ? phase.seq : undefined];
    assert.ok(known.includes(expectedSeq), `wrote on sequence ${expectedSeq} without having read it`);
  }

  #checkTakeover(machine: ModelMachine, reason: string, term: number): void {
    const last = this.takeovers.at(-1);
    this.takeovers.push({ reason, term, to: machine.name });
    const held = new Set(machine.log);
    if (reason === "forced") {
      this.forcedTerm = Math.max(this.forcedTerm, term);
      for (const [id] of this.acknowledged) if (!held.has(id)) this.acknowledged.delete(id);
      return;
    }
    if (this.nats.lostMeaning) return;
    // It goes on with a claim by force whose outcome was unknown.
    if (this.#forcedClaims.has(this.nats.history.at(-2)?.lease.term ?? 0))
      return this.#checkTakeover(machine, "forced", term);
    assert.ok(last === undefined || last.reason === "forced" || term > last.term, `term ${term} after ${last?.term}`);
    for (const [id, inTerm] of this.acknowledged)
      assert.ok(held.has(id) || inTerm < this.forcedTerm, `${machine.name} became active without group ${id}`);
  }

  /** At no instant two members have the right to act; an operator's word for a member without witnesses is not counted. */
  #checkRights(): void {
    const acting = this.machines.filter(({ process }) => {
      if (process === undefined || this.rightOf(process) <= 0) return false;
      return !(process.member.phase.kind === "active" && process.member.phase.forcedRight);
    });
    assert.ok(acting.length < 2, `two members have the right to act at ${this.time.nowMs}`);
  }

  /** Everything works again; after a while the pair has to be well. */
  heal(): void {
    this.note("heal");
    this.staleReads = 0;
    this.lostAnswers = 0;
    this.limbo = 0;
    this.linkSlow = false;
    for (const machine of this.machines) {
      machine.natsUp = true;
      machine.linkUp = true;
      machine.resume();
      if (machine.schema !== 1 || machine.leaseMs !== modelLeaseMs) machine.kill();
      machine.schema = 1;
      machine.leaseMs = modelLeaseMs;
      if (machine.process) {
        machine.process.actionsToLive = Number.POSITIVE_INFINITY;
        machine.process.dutyFails = false;
      }
      machine.start();
    }
  }

  cutNats(...machines: ModelMachine[]): void {
    for (const machine of machines) {
      machine.natsUp = false;
      const { process } = machine;
      const sentAt = machine.time();
      process?.dispatch({ kind: "leaseRead", sentAt, reading: { ok: false, error: "the connection was lost" } });
    }
  }

  wipe(machine: ModelMachine): void {
    machine.kill();
    machine.log = [];
    machine.mark = emptyMark;
    // Acknowledged entries that are in neither journal were lost with the disk.
    const kept = new Set(this.otherOf(machine).log);
    for (const [id] of this.acknowledged) if (!kept.has(id)) this.lostWithDisk = true;
  }

  lostWithDisk = false;

  statusOf(machine: ModelMachine): ReturnType<typeof memberStatusOf> | undefined {
    return machine.process && memberStatusOf(machine.process.member, machine.time());
  }

  /** Members that are active with a right to act. */
  get acting(): readonly ModelMachine[] {
    return this.machines.filter(({ process }) => process !== undefined && this.rightOf(process) > 0);
  }
}
