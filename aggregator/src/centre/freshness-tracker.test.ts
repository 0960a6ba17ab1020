import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Unpublished } from "@realmwatch/shared/wire/unpublished";
import type { RealmEntry } from "../realms/realms-document.ts";
import type { RowClaim } from "../realms/row-evidence.ts";
import { type FreshnessTracker, openFreshnessTracker } from "./freshness-tracker.ts";
import { openModelEvidence } from "./model-evidence.ts";

const keyOfHost = (name: string) => ({ kind: "host", name }) as const;
const inputs = { isKnown: true, isReachable: true, isRebuilding: false, storeError: "" };

/** A tracker of the realm `fra`, and the rows that its model holds. */
function openFra() {
  const clock = manualClock(1_000_000);
  const evidence = openModelEvidence();
  const tracker = openFreshnessTracker({ clock, log: { warn() {}, error() {} }, evidence: () => evidence });
  const held = new Map<string, RowVersion>();
  /** Notes that the model holds another version of a host, undefined for none. `published` 0: by no message. */
  function hold(name: string, after: RowVersion | undefined, published: number): void {
    evidence.onVersion({ realm: "fra", key: keyOfHost(name), before: held.get(name), after, published });
    if (after === undefined) held.delete(name);
    else held.set(name, after);
  }
  function claim(
    published: number,
    versions: Readonly<Record<string, RowVersion>>,
    {
      unstoredMs = 0,
      unpublished = [] as readonly Unpublished[],
      catalog = undefined as RowClaim | undefined,
      objects = undefined as number | undefined,
    } = {},
  ): void {
    const terms = Object.entries(versions).map(([name, { epoch, revision }]) =>
      rowDigestTerm(objectToken(keyOfHost(name)), epoch, revision),
    );
    const digest = terms.reduce((sum, one) => sum ^ one, 0n);
    tracker.onHeartbeat(
      {
        ...{ realm: "fra", instance: "one", previousInstance: "", version: "v1", error: "" },
        ...{ newest: { history: 0, command: 0 }, restoredCopy: "", firstEventSeq: 0 },
        ...{ epoch: 1, revision: 9, sentAtMs: clock.now(), uptimeMs: clock.monotonic(), unstoredMs, isLeaving: false },
        claim: { epoch: 1, published, rows: terms.length, digest },
        ...{ objects: objects ?? terms.length + unpublished.length, unpublished, catalog },
      },
      15_000,
    );
  }
  /** Takes a heartbeat of an instance, without evidence. */
  function beat(
    instance: string,
    shared?: { instance: string; heartbeatMonotonicMs: number },
    restoredCopy = "",
  ): void {
    const heartbeat = { realm: "fra", instance, previousInstance: "", version: "v1", error: "", firstEventSeq: 0 };
    const more = {
      isLeaving: false,
      ...{ newest: { history: 0, command: 0 }, restoredCopy },
      epoch: 1,
      revision: 9,
      sentAtMs: clock.now(),
      uptimeMs: clock.monotonic(),
      unstoredMs: 0,
      claim: undefined,
      ...{ objects: 0, unpublished: [], catalog: undefined },
    };
    tracker.onHeartbeat({ ...heartbeat, ...more }, 15_000, shared);
  }
  return { clock, tracker, evidence, hold, claim, beat, freshness: () => freshnessOf(tracker) };
}

const freshnessOf = (tracker: FreshnessTracker) => tracker.view({ name: "fra" } as RealmEntry, inputs).freshness;

const v = (revision: number): RowVersion => ({ epoch: 1, revision });

test("[FD7] a realm that only another aggregator has heard is unknown until a heartbeat arrives here", () => {
  const { hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  assert.equal(freshness(), "unknown");
  claim(1, { a: v(1) });
  assert.equal(freshness(), "current");
});

test("[FD6] an aggregator that starts follows the instance that another one followed, until it is silent", () => {
  const { clock, tracker, beat } = openFra();
  const shared = { instance: "one", heartbeatMonotonicMs: clock.monotonic() };
  clock.advance(1_000);
  beat("two", shared);
  assert.deepEqual([tracker.followedInstance("fra"), freshnessOf(tracker)], ["one", "unknown"]);
  beat("one", shared);
  assert.deepEqual([tracker.followedInstance("fra"), freshnessOf(tracker)], ["one", "conflict"]);
  clock.advance(16_000);
  beat("two", shared);
  assert.equal(tracker.followedInstance("fra"), "two");
});

test("[FD83] a realm whose agent started on an older copy of its data says so in its detail, and stays current", () => {
  const { tracker, beat, freshness } = openFra();
  const detail = () => tracker.view({ name: "fra" } as RealmEntry, inputs).detail;
  beat("one", undefined, "history records 5 to 9 were lost");
  assert.deepEqual([freshness(), /; history records 5 to 9 were lost$/.test(detail())], ["current", true]);
  beat("one");
  assert.doesNotMatch(detail(), /lost/);
});

test("[FD82] two agents of one realm are a conflict until 60 s after the one that is not followed was last heard", () => {
  const { clock, tracker, beat } = openFra();
  const view = () => tracker.view({ name: "fra" } as RealmEntry, inputs);
  beat("one");
  beat("two");
  beat("one");
  assert.equal(view().detail, "two agents publish this realm: one, which is followed, and two");
  for (let s = 5; s <= 60; s += 5) {
    assert.equal(view().freshness, "conflict", `after ${s - 5} s`);
    clock.advance(5_000);
    beat("one");
  }
  assert.equal(view().freshness, "current");
  beat("two");
  beat("one");
  assert.equal(view().freshness, "conflict", "it is back");
});

test("[FD7] a realm whose rows the store has lost is not current from that moment until they are proven again", () => {
  const { clock, hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  hold("b", v(2), 2);
  claim(2, { a: v(1), b: v(2) });
  assert.equal(freshness(), "current");
  hold("b", undefined, 0);
  assert.equal(freshness(), "rebuilding");
  clock.advance(2_000);
  claim(2, { a: v(1), b: v(2) });
  assert.equal(freshness(), "rebuilding");
  clock.advance(6_000);
  assert.equal(freshness(), "behind");
  hold("b", v(2), 2);
  clock.advance(500);
  assert.equal(freshness(), "current");
});

test("[FD7] a realm whose agent has not published its objects yet is not current by a claim of no rows, which matches", () => {
  const { hold, claim, freshness } = openFra();
  claim(0, {}, { objects: 2 });
  assert.equal(freshness(), "rebuilding");
  hold("a", v(1), 1);
  hold("b", v(2), 2);
  claim(2, { a: v(1), b: v(2) });
  assert.equal(freshness(), "current");
});

test("[FD7] a realm that was forgotten with its store is not current until its rows and its catalog are proven again", () => {
  const { hold, claim, evidence, freshness } = openFra();
  const token = "view.1";
  const part = { realm: "fra", token, before: undefined, after: v(1), by: v(1) };
  const catalog = { epoch: 1, published: 1, rows: 1, digest: rowDigestTerm(token, 1, 1) };
  hold("a", v(1), 1);
  evidence.onCatalogPart(part);
  claim(1, { a: v(1) }, { catalog });
  assert.equal(freshness(), "current");
  hold("a", undefined, 0);
  evidence.forget("fra");
  assert.equal(freshness(), "rebuilding");
  hold("a", v(1), 1);
  assert.equal(freshness(), "rebuilding", "its catalog is missing");
  evidence.onCatalogPart(part);
  assert.equal(freshness(), "current");
});

test("[FD1] a row that its realm has removed makes no realm less than current, by a message or by a complete epoch", () => {
  const { hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  hold("b", v(2), 2);
  claim(2, { a: v(1), b: v(2) });
  hold("b", undefined, 3);
  assert.equal(freshness(), "current");
  claim(3, { a: v(1) });
  assert.equal(freshness(), "current");
  hold("c", v(0), 0);
  claim(3, { a: v(1) });
  hold("c", undefined, 0);
  assert.equal(freshness(), "current");
});

test("[FD2] times in which a row was not stored and in which it was then missed do not add up", () => {
  const { clock, hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  claim(1, { a: v(1) });
  clock.advance(5_000);
  claim(1, { a: v(1) }, { unstoredMs: 4_900 });
  assert.equal(freshness(), "current");
  clock.advance(2_900);
  claim(2, { a: v(2) });
  assert.equal(freshness(), "current", "it may have been stored just now");
  clock.advance(1_000);
  assert.equal(freshness(), "behind");
});

test("[FD70] a realm with a row that NATS refuses is behind from then on, with the number, the name and the reason", () => {
  const { clock, tracker, hold, claim, freshness } = openFra();
  const viewNow = () => tracker.view({ name: "fra" } as RealmEntry, inputs);
  hold("a", v(1), 1);
  claim(1, { a: v(1) });
  assert.equal(freshness(), "current");
  const refusedAtMs = clock.now();
  const unpublished = [{ kind: "row", number: 1, first: "host/b", reason: "too large" }] as const;
  claim(2, { a: v(1) }, { unpublished });
  clock.advance(2_000);
  claim(2, { a: v(1) }, { unpublished });
  const { rowsHeld, rowsExpected, behindSinceMs, detail } = viewNow();
  assert.deepEqual([freshness(), rowsHeld, rowsExpected, behindSinceMs], ["behind", 1, 2, refusedAtMs]);
  assert.equal(detail, "1 row is not published: host/b: too large");
  assert.equal(tracker.isBehind("fra"), false, "what is stored is proven: reading it again does not help");
  hold("b", v(3), 3);
  claim(3, { a: v(1), b: v(3) });
  assert.deepEqual([freshness(), viewNow().behindSinceMs], ["current", undefined]);
});

test("[FD2, FD70] the time in which rows were refused counts when they are stored at last: the realm stays behind until they are held", () => {
  const { clock, tracker, hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  claim(1, { a: v(1) });
  const unpublished = [{ kind: "row", number: 1, first: "a", reason: "no permission" }] as const;
  for (let beats = 0; beats < 5; beats++) {
    clock.advance(2_000);
    claim(2 + beats, { a: v(1) }, { unpublished, objects: 1 });
    assert.equal(freshness(), "behind");
  }
  clock.advance(1_000);
  claim(9, { a: v(5) });
  assert.equal(freshness(), "behind", "the row held is that of eleven seconds ago");
  assert.equal(tracker.isBehind("fra"), false, "it may be on its way: it is not read again yet");
  clock.advance(5_000);
  assert.equal(tracker.isBehind("fra"), true);
  hold("a", v(5), 9);
  claim(9, { a: v(5) });
  assert.deepEqual([freshness(), tracker.isBehind("fra")], ["current", false]);
});

test("[FD7, FD70] rows that are read from the stream while the realm's newer ones are refused prove nothing", () => {
  const { clock, hold, claim, freshness } = openFra();
  hold("a", v(1), 1);
  const unpublished = [{ kind: "row", number: 1, first: "a", reason: "no permission" }] as const;
  claim(2, { a: v(1) }, { unpublished, objects: 1 });
  assert.equal(freshness(), "behind");
  clock.advance(1_000);
  claim(3, { a: v(2) });
  assert.equal(freshness(), "rebuilding");
  hold("a", v(2), 3);
  assert.equal(freshness(), "current");
});

test("[FD72] a realm whose catalog is not the claimed one for five seconds is behind, and says that the catalog is missing", () => {
  const { clock, tracker, hold, claim, evidence } = openFra();
  const viewNow = () => tracker.view({ name: "fra" } as RealmEntry, inputs);
  const part = (revision: number) => ({
    realm: "fra",
    token: `view.${revision}`,
    before: undefined,
    after: v(revision),
    by: v(revision),
  });
  const terms = [1, 2].map((revision) => rowDigestTerm(`view.${revision}`, 1, revision));
  const catalog = { epoch: 1, published: 2, rows: 2, digest: terms.reduce((sum, one) => sum ^ one) };
  hold("a", v(1), 1);
  evidence.onCatalogPart(part(1));
  claim(1, { a: v(1) }, { catalog });
  assert.equal(viewNow().freshness, "rebuilding", "it has not been proven yet");
  clock.advance(5_000);
  claim(1, { a: v(1) }, { catalog });
  assert.deepEqual([viewNow().freshness, viewNow().detail], ["behind", "1 of 2 parts of the catalog are missing"]);
  assert.equal(tracker.isBehind("fra"), true, "it is repaired");
  const unpublished = [{ kind: "catalog", number: 1, first: "view.2", reason: "denied" }] as const;
  claim(1, { a: v(1) }, { catalog, unpublished });
  assert.equal(tracker.isBehind("fra"), false, "what the agent cannot publish is not repaired");
  evidence.onCatalogPart(part(2));
  // A newer part than the claim covers.
  evidence.onCatalogPart(part(3));
  claim(1, { a: v(1) }, { catalog });
  assert.equal(viewNow().freshness, "current");
});
