import type { Clock } from "@realmwatch/shared/model/clock";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { ObjectMetadata } from "@realmwatch/shared/row/row";
import type { NumberedSample } from "../log/sample-intake.ts";
import type { SinkObject } from "../sink-entry.ts";
import type { SamplesMessage } from "./sink-protocol.ts";

/** Performance data of one check result. */
export type FedSample = {
  readonly about: ObjectMetadata;
  /** Start of the check, Unix ms. */
  readonly atMs: number;
  readonly perfdata: readonly PerfPoint[];
};

/** Longest time that points wait for others, ms. A message of its own for each result would cost more than the result. */
const collectMs = 20;
/** Number of results after which a message is sent at once. */
const maxCollected = 2_000;
/** Number of points in the thread's queue above which new ones are dropped: the thread does not keep up. */
const maxQueuedPoints = 2_000_000;

/** Sends performance data to the thread of the sinks. Costs the calling thread a JSON text for each 20 ms. */
export type SampleFeed = {
  /** `commandSeq`: last command whose points are complete with these; 0 for no further one. */
  add(samples: readonly FedSample[], commandSeq: number): void;
  /** Message with the samples of commands before the start, not counted as waiting. */
  messageOf(samples: readonly FedSample[], commandSeq: number): SamplesMessage;
  /** Sends what waits, then forgets the numbers of objects. @returns least number that is used from now on */
  renumber(): number;
  /** Reports that the thread has processed points. */
  taken(points: number): void;
  /** Number of points that were dropped because the thread did not keep up. */
  dropped(): number;
  close(): void;
};

export function openSampleFeed(clock: Clock, post: (message: SamplesMessage) => void): SampleFeed {
  let numbers = new Map<ObjectMetadata, number>();
  let nextNumber = 0;
  let objects: (readonly [number, SinkObject])[] = [];
  let samples: NumberedSample[] = [];
  let points = 0;
  let lastCommandSeq = 0;
  let sentCommandSeq = 0;
  let queuedPoints = 0;
  let dropped = 0;
  let cancelSend: (() => void) | undefined;

  function numberOf(about: ObjectMetadata): number {
    const known = numbers.get(about);
    if (known !== undefined) return known;
    const number = nextNumber;
    nextNumber += 1;
    numbers.set(about, number);
    objects.push([number, sinkObjectOf(about)]);
    return number;
  }

  function sendSoon(): void {
    cancelSend ??= clock.after(collectMs, send);
  }

  function send(): void {
    cancelSend?.();
    cancelSend = undefined;
    if (samples.length === 0 && lastCommandSeq === sentCommandSeq) return;
    post({ kind: "samples", json: JSON.stringify(samples), points, objects, commandSeq: lastCommandSeq });
    sentCommandSeq = lastCommandSeq;
    queuedPoints += points;
    samples = [];
    objects = [];
    points = 0;
  }

  return {
    add(some, commandSeq) {
      for (const { about, atMs, perfdata } of some) {
        if (queuedPoints + points > maxQueuedPoints) {
          dropped += perfdata.length;
          continue;
        }
        samples.push([numberOf(about), atMs, perfdata]);
        points += perfdata.length;
        if (samples.length >= maxCollected) send();
      }
      lastCommandSeq = Math.max(lastCommandSeq, commandSeq);
      sendSoon();
    },
    messageOf(some, commandSeq) {
      const json = JSON.stringify(some.map(({ about, atMs, perfdata }) => [numberOf(about), atMs, perfdata]));
      const message = { kind: "samples", json, points: 0, objects, commandSeq } as const;
      objects = [];
      return message;
    },
    renumber() {
      send();
      numbers = new Map();
      return nextNumber;
    },
    taken(count) {
      queuedPoints -= count;
    },
    dropped: () => dropped,
    close: send,
  };
}

/** Properties of an object that sinks need. */
export const sinkObjectOf = ({ key, labels, zone, checkType }: ObjectMetadata): SinkObject => ({
  key,
  labels,
  zone,
  checkType,
});
