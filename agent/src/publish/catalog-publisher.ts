import { hash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { RealmCatalogSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { sleep } from "@realmwatch/shared/model/clock";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import {
  type CatalogPart,
  catalogPartToken,
  catalogPartToProto,
  splitCatalog,
} from "@realmwatch/shared/wire/catalog-parts";
import { catalogPartSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { SendResult } from "./jetstream-sender.ts";
import type { PublicationTools } from "./unpublished-items.ts";

/** Parts of the catalog that the agent has, as of one message. */
export type CatalogPartSet = { readonly parts: number; readonly digest: bigint; readonly revision: number };

/** Time after which a message that may not have been stored is sent again, ms; doubles up to the greater one. */
const againAfterMs = { first: 250, most: 10_000 } as const;
/** Time after which refused parts are sent again, ms. */
const refusedAgainAfterMs = 30_000;

type SentPart = { readonly part: CatalogPart; readonly content: string; readonly epoch: number; readonly term: bigint };

type CatalogPublisherOptions = PublicationTools & { catalog(): Catalog };

/**
 * [FD71] Publishes the catalog in parts by kind, one message after the other, each as large as NATS allows. Only changed
 * parts are sent. An entry that no message can have, and a part that NATS refuses, stay unpublished by name.
 */
export class CatalogPublisher {
  readonly #options: CatalogPublisherOptions;
  readonly #closing = new AbortController();
  readonly #sent = new Map<string, SentPart>();
  readonly #refused = new Set<string>();
  #epoch: number | undefined;
  #revision = 0;
  #settledRevision = 0;
  /** Number of the connection over which the catalog was last published. */
  #connection = 0;
  #isRunning = false;
  #isWanted = false;
  #sinceMs: number | undefined;
  #cancelRetry = (): void => {};

  constructor(options: CatalogPublisherOptions) {
    this.#options = options;
    const { sender } = options;
    sender.onOpen(() => {
      if (this.#refused.size > 0 && sender.connection() !== this.#connection) this.publish();
    });
  }

  /** Publishes the parts that have changed. Has no effect before the first `publishAll`. */
  publish(): void {
    if (this.#epoch === undefined) return;
    this.#isWanted = true;
    this.#sinceMs ??= this.#options.clock.monotonic();
    if (!this.#isRunning) void this.#run();
  }

  /** Publishes all parts with an epoch, also those that have not changed. */
  publishAll(epoch: number): void {
    this.#epoch = epoch;
    for (const [token, one] of this.#sent) this.#sent.set(token, { ...one, content: "" });
    this.publish();
  }

  /** True while a change has been neither stored nor refused. */
  isWaiting(): boolean {
    return this.#isRunning;
  }

  /** Undefined before the first part was published. */
  claim(): CatalogPartSet | undefined {
    if (this.#sent.size === 0) return undefined;
    let digest = 0n;
    for (const { term } of this.#sent.values()) digest ^= term;
    return { parts: this.#sent.size, digest, revision: this.#settledRevision };
  }

  /** Age of the oldest change that NATS has neither stored nor refused, ms; 0 for none. */
  unstoredMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#options.clock.monotonic() - this.#sinceMs;
  }

  close(): void {
    this.#closing.abort();
    this.#cancelRetry();
  }

  async #run(): Promise<void> {
    const { sender, clock } = this.#options;
    const { signal } = this.#closing;
    this.#isRunning = true;
    this.#cancelRetry();
    while (this.#isWanted && !signal.aborted) {
      await sender.whenOpen(signal);
      this.#isWanted = false;
      await this.#sendChanges();
    }
    this.#isRunning = false;
    this.#sinceMs = undefined;
    if (this.#refused.size > 0 && !signal.aborted)
      this.#cancelRetry = clock.after(refusedAgainAfterMs, () => this.publish());
  }

  /** Sends the parts that have changed, up to the next change of the catalog. */
  async #sendChanges(): Promise<void> {
    const { sender } = this.#options;
    this.#connection = sender.connection();
    const maxBytes = sender.maxMessageBytes();
    const { parts, tooLarge } = splitCatalog(this.#options.catalog(), maxBytes);
    const names = new Set([...tooLarge.map(({ name }) => name), ...parts.map(catalogPartToken)]);
    for (const name of this.#refused) if (!names.has(name)) this.#setRefused(name, undefined);
    for (const { name, bytes } of tooLarge)
      this.#setRefused(name, `the entry has ${bytes} bytes, and a message of NATS at most ${maxBytes} (max_payload)`);
    for (const part of parts) {
      if (this.#isWanted || this.#closing.signal.aborted) return;
      await this.#sendPart(part);
    }
  }

  #setRefused(name: string, reason: string | undefined): void {
    const { unpublished } = this.#options;
    if (reason === undefined) {
      this.#refused.delete(name);
      unpublished.delete("catalog", name);
    } else {
      this.#refused.add(name);
      unpublished.set("catalog", name, reason);
    }
  }

  async #sendPart(part: CatalogPart): Promise<void> {
    const { realm, sender, clock } = this.#options;
    const { signal } = this.#closing;
    const token = catalogPartToken(part);
    const content = hashOf(part);
    const known = this.#sent.get(token);
    if (known?.content === content && known.epoch === this.#epoch && !this.#refused.has(token)) return;
    for (let waitMs: number = againAfterMs.first; ; waitMs = Math.min(againAfterMs.most, 2 * waitMs)) {
      const stamp = { realm, epoch: this.#epoch ?? 0, revision: ++this.#revision, atMs: clock.now() };
      const data = toBinary(RealmCatalogSchema, catalogPartToProto(part, stamp));
      const result = await sender.send({ subject: catalogPartSubject(realm, part), data });
      if (result.kind !== "unknown") return this.#settle({ part, content, ...stamp }, result);
      await sleep(clock, waitMs, signal);
      await sender.whenOpen(signal);
      if (this.#isWanted || signal.aborted) return;
    }
  }

  #settle(
    { part, content, epoch, revision }: Omit<SentPart, "term"> & { readonly revision: number },
    result: SendResult,
  ): void {
    const token = catalogPartToken(part);
    this.#sent.set(token, { part, content, epoch, term: rowDigestTerm(token, epoch, revision) });
    this.#settledRevision = revision;
    this.#setRefused(token, result.kind === "refused" ? result.reason : undefined);
    for (const [other, { part: held }] of this.#sent)
      if (held.kind === part.kind && held.number >= part.parts) this.#sent.delete(other);
  }
}

const noStamp = { realm: "", epoch: 0, revision: 0, atMs: 0 };
const hashOf = (part: CatalogPart): string =>
  hash("sha1", toBinary(RealmCatalogSchema, catalogPartToProto(part, noStamp)), "base64");
