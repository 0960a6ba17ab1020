import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SeededRandom, seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { type JournalStore, openJournalStore } from "../../journal/write/journal-store.ts";
import type { WriteOf } from "../../journal/write/write-operation.ts";
import { type FollowerStore, openFollowerStore } from "./follower-store.ts";
import { relationOf } from "./journal-relation.ts";
import { JournalShipper } from "./journal-shipper.ts";
import {
  assertEqualJournals,
  copyAsKilled,
  makePairFolder,
  mountSmallDisk,
  randomOperation,
} from "./pair-journals.fixture.ts";

/** Two journals and what is between them, driven step by step. */
class TestPair {
  readonly folder: string;
  readonly random: SeededRandom;
  active: JournalStore;
  shipper = new JournalShipper({ clock: systemClock, maxBytes: 60_000 });
  standby: FollowerStore;
  dirs = { active: "active0", standby: "standby0" };
  kills = 0;
  snapshots = 0;
  refusals = 0;

  constructor(folder: string, random: SeededRandom) {
    this.folder = folder;
    this.random = random;
    this.active = this.#openActive();
    this.standby = this.#openStandby();
  }

  path(side: "active" | "standby"): string {
    return join(this.folder, this.dirs[side]);
  }

  write(n: number): void {
    const { history } = this.active.end().counters;
    const ops = Array.from({ length: 1 + Math.floor(this.random.upTo(6)) }, (_, i) =>
      randomOperation(this.random, n + i, history),
    );
    const written = this.active.writeShipped(ops);
    const cursors = ops.filter((op, i) => op.kind === "cursor" && written.results[i]?.ok) as WriteOf<"cursor">[];
    this.shipper.take(
      written,
      cursors.map(({ name, seq }) => [name, seq]),
    );
  }

  /** One answer of the link, applied. Returns false when the standby has everything or cannot go on. */
  async ship(): Promise<boolean> {
    const { end } = this.standby.opening();
    const relation = relationOf(end, this.shipper.position());
    if (relation.kind !== "diverged") this.shipper.acknowledge(end.position);
    const tail =
      relation.kind === "diverged" ? ({ kind: "snapshot" } as const) : await this.shipper.next(end.position, 0);
    if (tail.kind === "snapshot") return this.snapshot();
    if (tail.kind === "none") {
      assert.equal(this.standby.apply(new Uint8Array(), tail.cursors).kind, "applied");
      return false;
    }
    const applied = this.standby.apply(tail.lines, tail.cursors);
    if (applied.kind === "diverged") assert.fail(applied.why);
    if (applied.kind === "failed") this.refusals++;
    return applied.kind === "applied";
  }

  async snapshot(): Promise<boolean> {
    const copy = join(this.folder, `${this.dirs.active}.copy`);
    rmSync(copy, { recursive: true, force: true });
    copyAsKilled(this.path("active"), copy);
    const settled = openJournalStore({ dataDir: copy, realm: "r" });
    if (settled.ok) settled.value.close();
    const bytes = readFileSync(join(copy, "journal.db"));
    rmSync(copy, { recursive: true });
    const id = `s${this.snapshots++}`;
    const half = Math.floor(bytes.length / 2);
    const piece = (from: number, to: number) =>
      this.standby.takePiece({ id, totalBytes: bytes.length, offset: from, bytes: bytes.subarray(from, to) });
    const first = await piece(0, half);
    const result = first.kind === "waiting" ? await piece(half, bytes.length) : first;
    if (result.kind === "failed") this.refusals++;
    return result.kind === "applied";
  }

  /** The process of a side is killed and starts again, on the files that it left. */
  kill(side: "active" | "standby"): void {
    const before = this.path(side);
    this.dirs = { ...this.dirs, [side]: `${side}${++this.kills}` };
    copyAsKilled(before, this.path(side));
    (side === "active" ? this.active : this.standby).close();
    rmSync(before, { recursive: true });
    if (side === "standby") this.standby = this.#openStandby();
    else {
      this.shipper = new JournalShipper({ clock: systemClock, maxBytes: 60_000 });
      this.active = this.#openActive();
    }
  }

  #openActive(): JournalStore {
    const opened = openJournalStore({ dataDir: this.path("active"), realm: "r", pair: "active" });
    if (!opened.ok) assert.fail(opened.error);
    assert.equal(opened.value.recover(1).missing, undefined);
    this.shipper.start(opened.value.end(), opened.value.cursors());
    this.shipper.take(opened.value.writeShipped([{ kind: "term", term: this.kills + 1, member: "a" }]), []);
    return opened.value;
  }

  #openStandby(): FollowerStore {
    const opened = openFollowerStore({ dataDir: this.path("standby"), realm: "r" });
    if (!opened.ok) assert.fail(opened.error);
    return opened.value;
  }
}

test("[PA31, PA32] whatever is written, killed or cut, the standby ends with the same rows in every table", async (t) => {
  const random = seededRandom(testSeed(t));
  for (let round = 0; round < 12; round++) {
    const folder = makePairFolder();
    const pair = new TestPair(folder, random);
    for (let step = 1; step <= 150; step++) {
      const dice = random.upTo(100);
      if (dice < 70) pair.write(step * 10);
      else if (dice < 94) await pair.ship();
      else if (dice < 96) pair.kill("standby");
      else if (dice < 98) pair.kill("active");
      else await pair.snapshot();
    }
    while (await pair.ship());
    assert.deepEqual(pair.standby.opening().end, pair.active.end());
    assertEqualJournals(pair.path("active"), pair.path("standby"));
    assert.equal(pair.shipper.inSync, true);
    pair.active.close();
    pair.standby.close();
    const taken = openJournalStore({ dataDir: pair.path("standby"), realm: "r", pair: "active" });
    assert.equal(taken.ok && taken.value.recover(1).missing, undefined, "a takeover reports no loss");
    if (taken.ok) taken.value.close();
    rmSync(folder, { recursive: true });
  }
});

test("[PA32] a full disk at either side loses nothing: the standby applies all or none, and goes on", async (t) => {
  const folder = makePairFolder();
  const random = seededRandom(testSeed(t));
  const disks = {
    active: mountSmallDisk(join(folder, "active0"), (end) => t.after(end)),
    standby: mountSmallDisk(join(folder, "standby0"), (end) => t.after(end)),
  };
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  if (disks.active === undefined || disks.standby === undefined) return t.skip("needs root, to mount a small tmpfs");
  const pair = new TestPair(folder, random);
  for (let step = 1; step <= 400; step++) {
    const dice = random.upTo(100);
    if (dice < 60) pair.write(step * 10);
    else if (dice < 84) await pair.ship();
    else if (dice < 88) disks.standby.fill();
    else if (dice < 90) disks.active.fill();
    else {
      disks.standby.heal();
      disks.active.heal();
    }
  }
  disks.standby.heal();
  disks.active.heal();
  while (await pair.ship());
  t.diagnostic(`${pair.refusals} refusals of the standby's disk, ${pair.snapshots} snapshots`);
  assert.deepEqual(pair.standby.opening().end, pair.active.end());
  assertEqualJournals(pair.path("active"), pair.path("standby"));
  pair.active.close();
  pair.standby.close();
});

test("[PA32] groups that do not continue the standby's journal are refused, and change nothing", () => {
  const folder = makePairFolder();
  const pair = new TestPair(folder, seededRandom(1));
  const apply = (...groups: object[]) =>
    pair.standby.apply(new TextEncoder().encode(groups.map((group) => `${JSON.stringify(group)}\n`).join("")), []);
  const counters = { command: 0, history: 0, audit: 0 };
  const probe = { position: 1, term: 0, ops: [{ kind: "probe" }], counters };
  const outcome = (result: ReturnType<typeof apply>) => [
    result.kind,
    result.kind === "applied" ? "" : result.why,
    result.end.position,
  ];
  assert.deepEqual(outcome(apply({ ...probe, position: 2 })), ["failed", "group 2 does not follow group 0", 0]);
  assert.deepEqual(outcome(apply(probe, { ...probe, position: 3 })), ["failed", "group 3 does not follow group 1", 1]);
  assert.deepEqual(outcome(apply({ ...probe, position: 2, term: 7 })), [
    "diverged",
    "group 2 is of term 7, and this journal in term 0",
    1,
  ]);
  assert.deepEqual(outcome(apply({ ...probe, position: 2, counters: { ...counters, audit: 4 } })), [
    "diverged",
    "after group 2 its last audit is 0, and the active member's 4",
    1,
  ]);
  assert.deepEqual(outcome(apply(probe, { ...probe, position: 2 })), ["applied", "", 2]);
  pair.active.close();
  pair.standby.close();
  rmSync(folder, { recursive: true });
});
