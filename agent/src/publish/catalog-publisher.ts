import { hash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { RealmCatalogSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import {
  type CatalogPart,
  catalogPartToken,
  catalogPartToProto,
  splitCatalog,
} from "@realmwatch/shared/wire/catalog-parts";
import { catalogPartSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamSender, SendResult } from "./jetstream-sender.ts";
import type { UnpublishedItems } from "./unpublished-items.ts";

/** Parts of the catalog that the agent has, as of one message. */
export type CatalogPartSet = { readonly parts: number; readonly digest: bigint; readonly revision: number };

export type CatalogPublisher = {
  /** Publishes the parts that have changed. Has no effect before the first `publishAll`. */
  publish(): void;
  /** Publishes all parts with an epoch, also those that have not changed. */
  publishAll(epoch: number): void;
  /** True while a change has been neither stored nor refused. */
  isWaiting(): boolean;
  /** Undefined before the first part was published. */
  claim(): CatalogPartSet | undefined;
  /** Age of the oldest change that NATS has neither stored nor refused, ms; 0 for none. */
  unstoredMs(): number;
  close(): void;
};

/** Time after which a message that may not have been stored is sent again, ms; doubles up to the greater one. */
const againAfterMs = { first: 250, most: 10_000 } as const;
/** Time after which refused parts are sent again, ms. */
const refusedAgainAfterMs = 30_000;

type SentPart = { readonly part: CatalogPart; readonly content: string; readonly epoch: number; readonly term: bigint };

/**
 * [FD71] Publishes the catalog in parts by kind, one message after the other, each as large as NATS allows. Only changed
 * parts are sent. An entry that no message can have, and a part that NATS refuses, stay unpublished by name.
 */
export function openCatalogPublisher(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: JetStreamSender;
  readonly unpublished: UnpublishedItems;
  catalog(): Catalog;
}): CatalogPublisher {
  const { realm, clock, sender, unpublished } = io;
  const closing = new AbortController();
  const sent = new Map<string, SentPart>();
  const refused = new Set<string>();
  let epoch: number | undefined;
  let revision = 0;
  let settledRevision = 0;
  /** Number of the connection over which the catalog was last published. */
  let connection = 0;
  let isRunning = false;
  let isWanted = false;
  let sinceMs: number | undefined;
  let cancelRetry = (): void => {};
  sender.onOpen(() => {
    if (refused.size > 0 && sender.connection() !== connection) publish();
  });

  function publish(): void {
    if (epoch === undefined) return;
    isWanted = true;
    sinceMs ??= clock.monotonic();
    if (!isRunning) void run();
  }

  async function run(): Promise<void> {
    isRunning = true;
    cancelRetry();
    while (isWanted && !closing.signal.aborted) {
      await sender.whenOpen(closing.signal);
      isWanted = false;
      await sendChanges();
    }
    [isRunning, sinceMs] = [false, undefined];
    if (refused.size > 0 && !closing.signal.aborted) cancelRetry = clock.after(refusedAgainAfterMs, publish);
  }

  /** Sends the parts that have changed, up to the next change of the catalog. */
  async function sendChanges(): Promise<void> {
    connection = sender.connection();
    const maxBytes = sender.maxMessageBytes();
    const { parts, tooLarge } = splitCatalog(io.catalog(), maxBytes);
    const names = new Set([...tooLarge.map(({ name }) => name), ...parts.map(catalogPartToken)]);
    for (const name of refused) if (!names.has(name)) setRefused(name, undefined);
    for (const { name, bytes } of tooLarge)
      setRefused(name, `the entry has ${bytes} bytes, and a message of NATS at most ${maxBytes} (max_payload)`);
    for (const part of parts) {
      if (isWanted || closing.signal.aborted) return;
      await sendPart(part);
    }
  }

  function setRefused(name: string, reason: string | undefined): void {
    if (reason === undefined) {
      refused.delete(name);
      unpublished.delete("catalog", name);
    } else {
      refused.add(name);
      unpublished.set("catalog", name, reason);
    }
  }

  async function sendPart(part: CatalogPart): Promise<void> {
    const token = catalogPartToken(part);
    const content = hashOf(part);
    const known = sent.get(token);
    if (known?.content === content && known.epoch === epoch && !refused.has(token)) return;
    for (let waitMs: number = againAfterMs.first; ; waitMs = Math.min(againAfterMs.most, 2 * waitMs)) {
      const stamp = { realm, epoch: epoch ?? 0, revision: ++revision, atMs: clock.now() };
      const data = toBinary(RealmCatalogSchema, catalogPartToProto(part, stamp));
      const result = await sender.send({ subject: catalogPartSubject(realm, part), data });
      if (result.kind !== "unknown") return settle({ part, content, ...stamp }, result);
      await sleep(clock, waitMs, closing.signal);
      await sender.whenOpen(closing.signal);
      if (isWanted || closing.signal.aborted) return;
    }
  }

  function settle(
    { part, content, epoch: of, revision: by }: Omit<SentPart, "term"> & { readonly revision: number },
    result: SendResult,
  ): void {
    const token = catalogPartToken(part);
    sent.set(token, { part, content, epoch: of, term: rowDigestTerm(token, of, by) });
    settledRevision = by;
    setRefused(token, result.kind === "refused" ? result.reason : undefined);
    for (const [other, { part: held }] of sent)
      if (held.kind === part.kind && held.number >= part.parts) sent.delete(other);
  }

  return {
    publish,
    publishAll(of) {
      epoch = of;
      for (const [token, one] of sent) sent.set(token, { ...one, content: "" });
      publish();
    },
    isWaiting: () => isRunning,
    claim() {
      if (sent.size === 0) return undefined;
      let digest = 0n;
      for (const { term } of sent.values()) digest ^= term;
      return { parts: sent.size, digest, revision: settledRevision };
    },
    unstoredMs: () => (sinceMs === undefined ? 0 : clock.monotonic() - sinceMs),
    close() {
      closing.abort();
      cancelRetry();
    },
  };
}

const noStamp = { realm: "", epoch: 0, revision: 0, atMs: 0 };
const hashOf = (part: CatalogPart): string =>
  hash("sha1", toBinary(RealmCatalogSchema, catalogPartToProto(part, noStamp)), "base64");
