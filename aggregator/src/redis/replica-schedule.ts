import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type RealmReading, RealmReplica } from "./realm-replica.ts";

/**
 * Shortest interval of reads that pub/sub messages trigger, ms. A change after a pause is read at once; under steady
 * changes fewer reads with more rows take much less processor time.
 */
const readEveryMs = 200;
/**
 * Time for which messages trigger reads at once after an object changed more than once between two reads, ms. A realm's
 * claim covers its rows as of one message: where rows are skipped at that message, the rows held never match it.
 */
const undelayedForMs = 60_000;
/** First and longest delay of the next read of a realm that cannot be read, ms. */
const retryBounds = { firstMs: 1_000, longestMs: 5_000 };

export type ReplicaScheduleOptions = RealmReading & { readonly log: Pick<Log, "warn"> };

/** Schedule of the reads of one realm: one at a time, after messages and polls. */
export class ReplicaSchedule {
  readonly replica: RealmReplica;
  readonly #options: ReplicaScheduleOptions;
  #reading: Promise<void> | undefined;
  #again = false;
  /** Monotonic time of the last read that a message triggered, ms. */
  #triggeredAtMs = Number.NEGATIVE_INFINITY;
  /** True while the next such read is waited for. */
  #isTriggered = false;
  /** Failed reads since the last one that succeeded, and the monotonic time before which polls skip the realm, ms. */
  #failure = { error: "", count: 0, retryAtMs: 0 };
  #closed = false;

  constructor(realm: string, options: ReplicaScheduleOptions) {
    this.replica = new RealmReplica(realm, options);
    this.#options = options;
  }

  /** Reason why the realm could not be read at the last attempt; empty when it was read. */
  get error(): string {
    return this.#failure.error;
  }

  /** True unless the realm could not be read and waits for its next attempt. */
  get isDue(): boolean {
    return this.#failure.retryAtMs <= this.#options.clock.monotonic();
  }

  /** Reads until all changes are read. A call during a read triggers another one. */
  read(): Promise<void> {
    if (this.#reading !== undefined) this.#again = true;
    this.#reading ??= this.#readAll()
      .catch((error: Error) => this.#onFailed(error))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** [FD59] Reads after a message, at most every `readEveryMs` unless rows were skipped lately. */
  trigger(): void {
    const { clock } = this.#options;
    if (this.#isTriggered || this.#closed) return;
    this.#isTriggered = true;
    const isUndelayed = clock.monotonic() - this.replica.skippedAtMs < undelayedForMs;
    const waitMs = isUndelayed ? 0 : this.#triggeredAtMs + readEveryMs - clock.monotonic();
    if (waitMs <= 0) this.#readTriggered();
    else clock.after(waitMs, () => this.#readTriggered());
  }

  /** Reads everything again, unless the realm is being read or cannot be read. */
  verify(): void {
    if (this.replica.state !== "loaded" || this.#reading !== undefined || this.error !== "") return;
    this.replica.startOver();
    void this.read();
  }

  close(): void {
    this.#closed = true;
  }

  async #readAll(): Promise<void> {
    do {
      this.#again = false;
      await this.replica.catchUp();
    } while (this.#again && !this.#closed);
    this.#failure = { error: "", count: 0, retryAtMs: 0 };
  }

  #readTriggered(): void {
    this.#isTriggered = false;
    this.#triggeredAtMs = this.#options.clock.monotonic();
    if (!this.#closed) void this.read();
  }

  #onFailed({ message }: Error): void {
    const { redis, clock, log, onDamage } = this.#options;
    if (this.#closed || redis.unavailableReason() !== "") return;
    const { realm } = this.replica;
    const { error: before, count } = this.#failure;
    const retryAtMs = clock.monotonic() + backoffMs(retryBounds, count + 1);
    this.#failure = { error: message, count: count + 1, retryAtMs };
    if (before !== message) log.warn({ realm, why: message }, "Redis: a realm cannot be read");
    // A key holds a value of another type: no command reads it.
    if (count > 0 && message.includes("WRONGTYPE")) onDamage(realm, { kind: "realm", generation: "", why: message });
  }
}
