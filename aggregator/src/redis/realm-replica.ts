import type { Clock } from "@realmwatch/shared/model/clock";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { RowChange } from "@realmwatch/shared/row/row";
import type { VersionedCatalogPart } from "../realms/held/held-catalog.ts";
import type { ClockReadings, StoredLiveness } from "../realms/realm-liveness.ts";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import { type ChangePage, parseChangePage } from "./redis-change-page.ts";
import { decodeCatalogPart, type StoredObject } from "./redis-codec.ts";
import { realmKeys } from "./redis-keys.ts";
import { readChanges } from "./redis-scripts.ts";

/** Write side of a read model in memory. */
export type ReplicaTarget = Pick<MemoryReadModel, "apply" | "dropRealmRowsBelow" | "forgetRealm"> & {
  applyCatalogParts(realm: string, parts: readonly VersionedCatalogPart[]): void;
};

/** State of a realm in the replica. */
type ReplicaState =
  /** Not read yet. */
  | "unread"
  /** Absent or incomplete in Redis: a rebuild is needed. */
  | "missing"
  /** All data in Redis is in memory too. */
  | "loaded";

/** Damage of a realm's data in Redis: values that were overwritten, or keys that were evicted. */
export type StoredDamage =
  | { readonly kind: "objects"; readonly objects: readonly StoredObject[]; readonly generation: string }
  | { readonly kind: "catalog"; readonly version: string }
  | { readonly kind: "history" }
  /** More than single values. An empty generation stands for any. */
  | { readonly kind: "realm"; readonly generation: string; readonly why: string };

/** Source and target of the reads of realms. */
export type RealmReading = {
  readonly redis: CentreRedis;
  readonly target: ReplicaTarget;
  readonly clock: Clock;
  /** Called with the stored liveness of a realm at each read, and the clocks as of its request. */
  readonly onLiveness: (realm: string, stored: StoredLiveness, readings: ClockReadings) => void;
  /** Called when realms are missing or complete again. */
  readonly onStateChange: () => void;
  /** Called when Redis has lost confirmed writes; the realm counts as missing until it is rebuilt. */
  readonly onLoss: (realm: string) => void;
  /** Called when stored data of a realm cannot be read or is incomplete. */
  readonly onDamage: (realm: string, damage: StoredDamage) => void;
};

const objectsPerRead = 500;
/** Time for which the numbers of rows in Redis and in memory may differ before the realm counts as damaged, ms. */
const mismatchForMs = 5_000;

/** Reading of the data of one generation in Redis. */
type GenerationReading = {
  readonly generation: string;
  /** Change number up to which everything was read. */
  since: number;
  floor: number;
  catalogVersion: string;
  /** References not seen yet while everything is read again; undefined otherwise. */
  unconfirmed: Set<string> | undefined;
};

const readingOf = (generation: string, known: Iterable<string> = []): GenerationReading => ({
  generation,
  since: 0,
  floor: 0,
  catalogVersion: "",
  unconfirmed: new Set(known),
});

/** Replica of one realm. */
export class RealmReplica {
  readonly realm: string;
  readonly #options: RealmReading;
  /** Versions of all rows passed to the target, by reference. */
  readonly #known = new Map<string, string>();
  #state: ReplicaState = "unread";
  #wasLoaded = false;
  #hasHistory = false;
  #reading = readingOf("");
  /** Generation that has lost writes, whose rows are ignored. */
  #lostGeneration = "";
  /** Greatest floor that the target knows. */
  #targetFloor = 0;
  #skippedAtMs = Number.NEGATIVE_INFINITY;
  /** Monotonic time since which Redis and memory have different numbers of rows, ms; undefined when they have not. */
  #mismatchSinceMs: number | undefined;

  constructor(realm: string, options: RealmReading) {
    this.realm = realm;
    this.#options = options;
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** True once all rows were in memory; they stay there while Redis is away or is rebuilt. */
  get wasLoaded(): boolean {
    return this.#wasLoaded;
  }

  get hasHistory(): boolean {
    return this.#hasHistory;
  }

  /** Number of rows in memory. */
  get rows(): number {
    return this.#known.size;
  }

  /** Monotonic time of the last read that found an object changed more than once since the read before, ms. */
  get skippedAtMs(): number {
    return this.#skippedAtMs;
  }

  /** Has the next read read everything again. */
  startOver(generation = this.#reading.generation): void {
    this.#reading = readingOf(generation, this.#known.keys());
  }

  /** Reads everything that has changed in Redis since the last read. Rejects when that cannot be read. */
  async catchUp(): Promise<void> {
    const { clock, onDamage } = this.#options;
    for (;;) {
      const page = await this.#readPage();
      if (page.generation === "" || page.generation === this.#lostGeneration) return this.#markMissing();
      const readBefore = this.#reading.since;
      const hasMissedRemovals = readBefore > 0 && page.pruned > readBefore;
      if (page.generation !== this.#reading.generation || hasMissedRemovals) {
        this.startOver(page.generation);
        if (page.floor < this.#targetFloor) this.#forget();
        if (readBefore > 0) continue;
      }
      // Each change has a number, and an object only that of its last change.
      if (readBefore > 0 && page.reached - readBefore > page.objects) this.#skippedAtMs = clock.monotonic();
      this.#applyPage(page);
      if (page.unreadable.length > 0)
        onDamage(this.realm, { kind: "objects", objects: page.unreadable, generation: page.generation });
      this.#hasHistory = page.historyGeneration === page.generation;
      await this.#applyCatalog(page.catalogVersion);
      if (page.objects >= objectsPerRead) continue;
      this.#finishReading();
      return this.#compareNumbers(page);
    }
  }

  async #readPage(): Promise<ChangePage> {
    const { redis, clock, onLiveness, onLoss } = this.#options;
    const { rows, versions, changes, meta, history } = realmKeys(redis.centre, this.realm);
    const readings = { nowMs: clock.now(), monotonicMs: clock.monotonic() };
    const reply = await redis.run(
      readChanges,
      [rows, versions, changes, meta, history],
      [this.#reading.since, objectsPerRead, this.#lostGeneration],
    );
    const page = parseChangePage(this.realm, reply, readings);
    const { generation, since } = this.#reading;
    if (page.generation !== "" && page.generation === generation && page.counter < since) {
      this.#lostGeneration = page.generation;
      onLoss(this.realm);
    }
    onLiveness(this.realm, page.liveness, readings);
    return page;
  }

  /**
   * Compares the numbers of what Redis and memory hold after all changes were read: a difference that lasts shows that
   * keys were evicted or deleted.
   */
  #compareNumbers(page: ChangePage): void {
    const { clock, onDamage } = this.#options;
    const why = damageOf(page, this.rows);
    const sinceMs = this.#mismatchSinceMs ?? clock.monotonic();
    const hasLasted = clock.monotonic() - sinceMs >= mismatchForMs;
    this.#mismatchSinceMs = why === undefined || hasLasted ? undefined : sinceMs;
    if (why !== undefined && hasLasted) onDamage(this.realm, { kind: "realm", generation: page.generation, why });
  }

  #markMissing(): void {
    const before = this.#state;
    this.#state = "missing";
    this.#reading = readingOf("");
    this.#hasHistory = false;
    this.#mismatchSinceMs = undefined;
    if (before !== "missing") this.#options.onStateChange();
  }

  /** [FD92] Forgets a realm that was forgotten in Redis, where it may begin again with any epoch. */
  #forget(): void {
    this.#known.clear();
    this.#reading.unconfirmed?.clear();
    this.#targetFloor = 0;
    this.#options.target.forgetRealm(this.realm);
  }

  #applyPage(page: ChangePage): void {
    const { target } = this.#options;
    const [known, reading] = [this.#known, this.#reading];
    for (const { ref, version, json } of page.stored) {
      if (json === "") known.delete(ref);
      else known.set(ref, version);
      reading.unconfirmed?.delete(ref);
    }
    for (const { ref } of page.unreadable) reading.unconfirmed?.delete(ref);
    if (page.changes.length > 0) target.apply(page.changes);
    reading.since = page.reached;
    if (page.floor <= reading.floor) return;
    reading.floor = page.floor;
    this.#targetFloor = Math.max(this.#targetFloor, page.floor);
    target.dropRealmRowsBelow(this.realm, page.floor);
    for (const [ref, version] of known) if (Number.parseInt(version, 10) < page.floor) known.delete(ref);
  }

  async #applyCatalog(version: string): Promise<void> {
    const { redis, target, onDamage } = this.#options;
    if (version === "" || version === this.#reading.catalogVersion) return;
    const stored = Object.entries(await redis.client.hgetall(realmKeys(redis.centre, this.realm).catalog));
    const parts = stored.flatMap(([field, value]) => decodeCatalogPart({ field, value }) ?? []);
    target.applyCatalogParts(this.realm, parts);
    if (parts.length < Math.max(1, stored.length)) onDamage(this.realm, { kind: "catalog", version });
    this.#reading.catalogVersion = version;
  }

  /** Ends a full read: objects that were not seen are removed. */
  #finishReading(): void {
    const { target, onStateChange } = this.#options;
    const { unconfirmed } = this.#reading;
    if (unconfirmed !== undefined && unconfirmed.size > 0) target.apply(this.#removalsOf(unconfirmed));
    this.#reading.unconfirmed = undefined;
    if (this.#state === "loaded") return;
    this.#state = "loaded";
    this.#wasLoaded = true;
    onStateChange();
  }

  /** Removals of objects at their known version, so that any later version supersedes them. */
  #removalsOf(refs: Iterable<string>): RowChange[] {
    return [...refs].map((ref): RowChange => {
      const [epoch = 0, revision = 0] = (this.#known.get(ref) ?? "").split(" ").map(Number);
      this.#known.delete(ref);
      return { kind: "drop", realm: this.realm, key: keyOf(ref), epoch, revision };
    });
  }
}

function damageOf({ rowCount, versionCount, changeCount, lostHistory }: ChangePage, rows: number): string | undefined {
  if (rowCount !== rows) return `${rowCount} rows are stored, ${rows} are known`;
  if (versionCount !== changeCount) return `${versionCount} versions and ${changeCount} entries of the change index`;
  return lostHistory ? "the history is gone" : undefined;
}
