import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { muteView, noDeliveries } from "@realmwatch/shared/model/catalog";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { catalogKinds } from "@realmwatch/shared/wire/catalog-parts";
import {
  answerHeartbeats,
  type BrokerView,
  makeStreams,
  openPublisher,
  published,
  readBroker,
  realmOf,
} from "./publisher.fixture.ts";

const contact = (name: string, lastError = "") => ({
  ...{ name, type: "webhook", labels: {}, notificationPeriod: "", remaining: undefined },
  ...{ ...muteView(undefined), ...noDeliveries, lastError },
});
const contactsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => contact(`contact ${from + n}`.padEnd(100, "x")));

/** Parts of the stream that count, as an aggregator counts them. */
async function readParts({ catalogPart }: BrokerView) {
  const parts = [];
  for (const kind of catalogKinds) {
    const { parts: count = 0 } = (await catalogPart(kind, 0)) ?? {};
    for (let number = 0; number < count; number++) parts.push({ kind, number, part: await catalogPart(kind, number) });
  }
  return parts;
}

test("[FD71, FD72] a catalog goes in parts of max_payload, whose number and digest the heartbeat has; only changed parts are sent again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-catalog-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "nats.conf"), "max_payload: 64KB");
  await using server = await startNatsServer(["-c", join(folder, "nats.conf")]);
  await makeStreams(server.url);
  const heard = await answerHeartbeats(t, server.url, () => ({}));
  const realm = realmOf(["a"]);
  realm.catalog = { ...realm.catalog, contacts: contactsOf(0, 3_000) };
  const { publisher } = openPublisher(t, { url: server.url, realm });
  /** Waits until the heartbeat claims what the stream has. @returns its contacts by part */
  const proven = () =>
    readBroker(server.url, async (broker) => {
      const parts = await readParts(broker);
      const digest = parts
        .map(({ kind, number, part }) =>
          rowDigestTerm(`${kind}.${number}`, Number(part?.epoch), Number(part?.revision)),
        )
        .reduce((sum, one) => sum ^ one, 0n);
      const isClaimed = (): boolean =>
        heard.at(-1)?.catalog?.digest === digest && heard.at(-1)?.catalog?.parts === parts.length;
      await until("the claim is that of the stream", isClaimed, { seen: () => heard.at(-1)?.catalog });
      return parts.filter(({ kind }) => kind === "contact").map(({ part }) => part);
    });
  await published(publisher);
  const first = await proven();
  assert.ok(first.length > 5, `${first.length} parts`);
  assert.deepEqual(
    first.flatMap((part) => part?.contacts.map(({ name }) => name) ?? []),
    realm.catalog.contacts.map(({ name }) => name),
  );

  const sentBefore = publisher.state().sent;
  realm.catalog = { ...realm.catalog, contacts: [...contactsOf(0, 2_999), contact("contact 2999".padEnd(100, "y"))] };
  publisher.catalogChanged();
  await published(publisher);
  assert.equal(publisher.state().sent, sentBefore + 1);
  assert.equal((await proven()).at(-1)?.contacts.at(-1)?.name, realm.catalog.contacts.at(-1)?.name);

  realm.catalog = { ...realm.catalog, contacts: [contact("too large", "e".repeat(70_000)), contact("left")] };
  publisher.catalogChanged();
  await published(publisher);
  assert.deepEqual(
    (await proven()).map((part) => part?.contacts.map(({ name }) => name)),
    [["left"]],
  );
  const [entry] = publisher.state().unpublished;
  assert.deepEqual([entry?.kind, entry?.number, entry?.first], ["catalog", 1, 'contact "too large"']);
  assert.match(entry?.reason ?? "", /^the entry has 70\d\d\d bytes, and a message of NATS at most 65024/);
  realm.catalog = { ...realm.catalog, contacts: [contact("left")] };
  publisher.catalogChanged();
  await published(publisher);
  assert.deepEqual(publisher.state().unpublished, []);
});
