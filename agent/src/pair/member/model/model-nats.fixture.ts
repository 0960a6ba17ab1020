import type { Lease, LeaseReading, LeaseWriting } from "../../lease/lease-store.ts";

type Message = { readonly seq: number; readonly lease: Lease };

/** NATS of a model: the last message of one subject, with everything that a stream may lose. */
export class ModelNats {
  stream = "stream-1";
  message: Message | undefined;
  /** Messages that were written since the stream was made, oldest first. */
  history: Message[] = [];
  /** True once a message was lost that had changed term, synchrony or holder. */
  lostMeaning = false;
  #lastSeq = 0;
  #streams = 1;

  read(): LeaseReading {
    return { stream: this.stream, seq: this.message?.seq ?? 0, lease: this.message?.lease };
  }

  /** Answer of a leader that was deposed and does not know it yet. */
  readStale(): LeaseReading {
    const before = this.history.at(-2) ?? this.message;
    return { stream: this.stream, seq: before?.seq ?? 0, lease: before?.lease };
  }

  write(lease: Lease, expectedSeq: number): LeaseWriting {
    if ((this.message?.seq ?? 0) !== expectedSeq) return { kind: "conflict" };
    this.message = { seq: ++this.#lastSeq, lease };
    this.history.push(this.message);
    return { kind: "written", seq: this.message.seq };
  }

  purge(): void {
    this.message = undefined;
    this.history = [];
    this.lostMeaning = true;
  }

  makeAnew(): void {
    this.purge();
    this.stream = `stream-${++this.#streams}`;
    this.#lastSeq = 0;
  }

  /** Loses the last `count` messages. */
  restore(count: number): void {
    const kept = this.history.slice(0, Math.max(1, this.history.length - count));
    const last = kept.at(-1);
    if (last === undefined) return;
    const meaning = ({ lease }: Message): string =>
      JSON.stringify([lease.term, lease.member, lease.inSync, lease.goodbye]);
    if (this.history.slice(kept.length).some((lost) => meaning(lost) !== meaning(last))) this.lostMeaning = true;
    this.history = kept;
    this.message = last;
    this.#lastSeq = last.seq;
  }
}
