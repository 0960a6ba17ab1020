import type { Clock } from "@realmwatch/shared/model/clock";
import type { ObjectMetadata } from "@realmwatch/shared/row/row";
import type { PerfdataSample } from "../../engine/perfdata-sample.ts";
import type { NumberedSample } from "../log/sample-intake.ts";
import type { SinkObject } from "../sink-type.ts";
import type { SamplesMessage } from "./sink-protocol.ts";

/** Longest time that points wait for others, ms. A message of its own for each result would cost more than the result. */
const collectMs = 100;
/** Number of results after which a message is sent at once. */
const maxCollected = 2_000;
/** Number of points in the thread's queue above which new ones are dropped: the thread does not keep up. */
const maxQueuedPoints = 2_000_000;

/** Sends performance data to the thread of the sinks. Costs the calling thread a JSON text for each 100 ms. */
export class SampleFeed {
  readonly #clock: Clock;
  readonly #post: (message: SamplesMessage) => void;
  #numbers = new Map<ObjectMetadata, number>();
  #nextNumber = 0;
  #objects: (readonly [number, SinkObject])[] = [];
  #samples: NumberedSample[] = [];
  #points = 0;
  #lastCommandSeq = 0;
  #sentCommandSeq = 0;
  #queuedPoints = 0;
  #dropped = 0;
  #cancelSend: (() => void) | undefined;

  constructor(clock: Clock, post: (message: SamplesMessage) => void) {
    this.#clock = clock;
    this.#post = post;
  }

  /** @param commandSeq last command whose points are complete with these; 0 for no further one */
  add(samples: readonly PerfdataSample[], commandSeq: number): void {
    for (const { about, atMs, perfdata } of samples) {
      if (this.#queuedPoints + this.#points > maxQueuedPoints) {
        this.#dropped += perfdata.length;
        continue;
      }
      this.#samples.push([this.#numberOf(about), atMs, perfdata]);
      this.#points += perfdata.length;
      if (this.#samples.length >= maxCollected) this.#send();
    }
    this.#lastCommandSeq = Math.max(this.#lastCommandSeq, commandSeq);
    this.#cancelSend ??= this.#clock.after(collectMs, () => this.#send());
  }

  /** Message with the samples of commands before the start, not counted as waiting. */
  messageOf(samples: readonly PerfdataSample[], commandSeq: number): SamplesMessage {
    const json = JSON.stringify(samples.map(({ about, atMs, perfdata }) => [this.#numberOf(about), atMs, perfdata]));
    return { kind: "samples", json, points: 0, objects: this.#takeObjects(), commandSeq };
  }

  /** Sends what waits, then forgets the numbers of objects. @returns least number that is used from now on */
  renumber(): number {
    this.#send();
    this.#numbers = new Map();
    return this.#nextNumber;
  }

  /** Reports that the thread has processed points. */
  taken(points: number): void {
    this.#queuedPoints -= points;
  }

  /** Number of points that were dropped because the thread did not keep up. */
  dropped(): number {
    return this.#dropped;
  }

  close(): void {
    this.#send();
  }

  #numberOf(about: ObjectMetadata): number {
    const known = this.#numbers.get(about);
    if (known !== undefined) return known;
    const number = this.#nextNumber++;
    this.#numbers.set(about, number);
    this.#objects.push([number, sinkObjectOf(about)]);
    return number;
  }

  #takeObjects(): (readonly [number, SinkObject])[] {
    const objects = this.#objects;
    this.#objects = [];
    return objects;
  }

  #send(): void {
    this.#cancelSend?.();
    this.#cancelSend = undefined;
    if (this.#samples.length === 0 && this.#lastCommandSeq === this.#sentCommandSeq) return;
    const [json, points, commandSeq] = [JSON.stringify(this.#samples), this.#points, this.#lastCommandSeq];
    this.#post({ kind: "samples", json, points, objects: this.#takeObjects(), commandSeq });
    this.#sentCommandSeq = commandSeq;
    this.#queuedPoints += points;
    this.#samples = [];
    this.#points = 0;
  }
}

/** Properties of an object that sinks need. */
export const sinkObjectOf = ({ key, labels, zone, checkType, parents }: ObjectMetadata): SinkObject => ({
  key,
  labels,
  zone,
  checkType,
  parents,
});
