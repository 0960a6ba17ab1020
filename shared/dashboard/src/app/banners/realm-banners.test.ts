import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { PairRole, PairSchema } from "@realmwatch/proto/svc/v1/pair_pb";
import { RealmFreshness, RealmSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { formatDate } from "../../components/time/format-date-time.ts";
import { pairBannerOf, realmBanners } from "./realm-banners.ts";

const nowMs = Date.parse("2026-11-20T13:00:00Z");
const at = (time: string) => timestampFromMs(Date.parse(time));
const lines = (...realms: MessageInitShape<typeof RealmSchema>[]) =>
  realmBanners(
    realms.map((fields) => create(RealmSchema, fields)),
    { nowMs, zone: "utc" },
  ).map(({ title, text }) => `${title}: ${text}`);

const { BEHIND, CONFLICT, CURRENT, REBUILDING, UNKNOWN, UNREACHABLE } = RealmFreshness;
/** Number in the locale of this machine, as the page shows it. */
const grouped = (rows: number): string => rows.toLocaleString();
const lastSeen = at("2026-11-20T12:41:07Z");
const dc2 = { name: "dc-2", freshness: UNREACHABLE, lastSeen, rowsHeld: 1204, rowsExpected: 1204 };
const fra = { name: "fra", freshness: BEHIND, lastSeen: at("2026-11-20T12:59:59Z"), rowsHeld: 398, rowsExpected: 412 };
const behindSince = at("2026-11-20T12:50:00Z");

const single: [behaviour: string, realm: MessageInitShape<typeof RealmSchema>, line: string][] = [
  [
    "an unreachable realm has the age and number of its rows",
    dc2,
    `dc-2 unreachable since 12:41: ${grouped(1204)} rows as of then; commands to it are not available`,
  ],
  [
    "an unreachable realm has its cause too",
    { ...dc2, detail: "NATS is not connected" },
    `dc-2 unreachable since 12:41: ${grouped(1204)} rows as of then; commands to it are not available; NATS is not connected`,
  ],
  [
    "a time of another day has its date",
    { ...dc2, lastSeen: at("2026-11-18T09:05:00Z"), rowsHeld: 1 },
    `dc-2 unreachable since ${formatDate(Date.parse("2026-11-18T09:05:00Z"), "utc")} 09:05: 1 row as of then; commands to it are not available`,
  ],
  [
    "a realm that was never seen has no time",
    { name: "dc-2", freshness: UNREACHABLE },
    "dc-2 unreachable: never seen: its state is not known; commands to it are not available",
  ],
  [
    "a realm that is behind has the cause",
    { ...fra, behindSince, detail: "rows are not stored: SVC_STATE is full" },
    "fra behind since 12:50: rows are not stored: SVC_STATE is full",
  ],
  [
    "a realm that is behind without a cause has numbers",
    { ...fra, behindSince },
    "fra behind since 12:50: 398 of 412 rows",
  ],
  ["a realm that is rebuilt has its progress", { ...fra, freshness: REBUILDING }, "fra rebuilding: 398 of 412 rows"],
  [
    "a conflict names the instances",
    { ...fra, freshness: CONFLICT, detail: "agents a and b use the name" },
    "fra in conflict: agents a and b use the name",
  ],
  ["a realm that is not known has its rows", { ...fra, freshness: UNKNOWN }, "fra unknown: 398 rows last known"],
];
for (const [behaviour, realm, line] of single) test(behaviour, () => assert.deepEqual(lines(realm), [line]));

test("current realms and an agent have no banner", () => {
  assert.deepEqual(lines({ ...fra, freshness: CURRENT, detail: "not proven" }), []);
  assert.deepEqual(lines(), []);
});

test("realms of the same state share a line", () => {
  assert.deepEqual(
    lines(
      { ...fra, behindSince },
      dc2,
      { ...dc2, name: "dc-3", detail: "NATS is not connected" },
      { ...fra, name: "ber", behindSince: at("2026-11-20T12:55:00Z"), detail: "Redis is full" },
    ),
    [
      `2 realms unreachable: dc-2 since 12:41, dc-3 since 12:41 (NATS is not connected); ${grouped(2408)} rows as of then`,
      "2 realms behind: fra since 12:50, ber since 12:55 (Redis is full); 796 of 824 rows",
    ],
  );
});

test("[PA55] pairs that would not survive their active member have one banner with the realm, the standby and the reason", () => {
  const well = create(PairSchema, {
    ...{ self: "fra-a", role: PairRole.ACTIVE, active: "fra-a", standby: "fra-b", inSync: true },
  });
  const away = { ...well, inSync: false, degraded: true, reason: "no word for 2 s" };
  const realm = (name: string, pair: typeof well) => create(RealmSchema, { name, pair });
  assert.equal(pairBannerOf(undefined, [create(RealmSchema, { name: "ams" })]), undefined);
  assert.equal(pairBannerOf(well, [realm("fra", well)]), undefined);
  assert.equal(pairBannerOf(away, []), "the standby fra-b is away or behind: no word for 2 s");
  assert.equal(
    pairBannerOf(undefined, [realm("ams", well), realm("fra", away), realm("dub", { ...away, standby: "" })]),
    "fra: the standby fra-b is away or behind: no word for 2 s; dub: no standby is known: no word for 2 s",
  );
  const held = { ...well, role: PairRole.HELD, reason: "neither the lease nor fra-b can be reached" };
  assert.match(pairBannerOf(held, []) ?? "", /^fra-a has lost its right to act and sends nothing: neither/);
});
