import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsLeaseStore } from "@realmwatch/agent/pair/lease/nats-lease-store";
import { createStreams, startPrintedNats } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import type { NatsConnection } from "nats";

const lease = { term: 1_795_000_000_000, epoch: 1_795_000_000_000, inSync: true, goodbye: false, at: 0 };
const leaseOf = (realm: string) => ({ ...lease, member: `${realm}-a`, instance: "i1" });
const storeAt = (connection: NatsConnection, realm: string, timeoutMs = 2_000) =>
  new NatsLeaseStore({ bus: { live: () => connection, connectionError: () => "" }, realm, timeoutMs });

for (const accountPerRealm of [false, true])
  test(`[PA26] with the printed login, ${accountPerRealm ? "an account a realm" : "one account"}, an agent holds its realm's lease, no other's`, async () => {
    await using nats = await startPrintedNats({ realms: ["fra", "ams"], zones: [], accountPerRealm });
    const [centre, fra, ams] = [await nats.centre(), await nats.realm("fra"), await nats.realm("ams")];
    await createStreams(centre);
    const own = storeAt(fra, "fra");
    const made = await own.write(leaseOf("fra"), 0);
    assert.ok(made.kind === "written", JSON.stringify(made));
    assert.deepEqual(await own.write(leaseOf("fra"), 0), { kind: "conflict" });
    const read = await own.read();
    assert.ok(read.ok, JSON.stringify(read));
    assert.deepEqual([read.value.seq, read.value.lease], [made.seq, leaseOf("fra")]);

    const foreign = await storeAt(ams, "fra", 500).write(leaseOf("fra"), made.seq);
    assert.match(foreign.kind === "unknown" ? foreign.why : foreign.kind, /permission|in time/i);
    const after = await own.read();
    assert.deepEqual(after.ok && after.value.seq, made.seq);
    assert.equal((await storeAt(ams, "ams").write(leaseOf("ams"), 0)).kind, "written");
  });
