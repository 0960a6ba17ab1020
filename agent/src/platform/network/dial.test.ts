import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { dial } from "./dial.ts";

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.close());
const { port } = server.address() as AddressInfo;
const never = new AbortController().signal;
/** Loopback addresses on which nothing listens refuse; the test network's (RFC 5737) never answer. */
const [alive, refusing, silent] = ["127.0.0.1", "127.0.0.2", "192.0.2.1"];

for (const [what, addresses] of [
  ["the first address", [alive]],
  ["the next one where the first refuses", [refusing, alive]],
  ["the next one where the first keeps silent", [silent, alive]],
] as const)
  test(`dial connects to ${what}`, async () => {
    const dialled = await dial({ addresses, port }, systemClock, never);
    assert.ok(dialled.ok);
    const { remoteAddress } = dialled.value;
    dialled.value.destroy();
    assert.equal(remoteAddress, alive);
  });

test("dial returns the first address' error once all have failed", async () => {
  const addresses = [refusing, "127.0.0.3"];
  assert.deepEqual(await dial({ addresses, port }, systemClock, never), { ok: false, error: "ECONNREFUSED" });
});

test("dial stops when its signal aborts", async () => {
  const ending = new AbortController();
  const dialled = dial({ addresses: [silent], port }, systemClock, ending.signal);
  ending.abort();
  assert.equal((await dialled).ok, false);
  assert.deepEqual(await dial({ addresses: [alive], port }, systemClock, ending.signal), {
    ok: false,
    error: "ABORTED",
  });
});
