import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { EchoRoundResult } from "@realmwatch/agent/platform/icmp/echo-protocol";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";

const run = promisify(execFile);
const script = (name: string): string => join(import.meta.dirname, name);

/** Expected result of each address in a network with its own router. */
const expected: readonly [address: string, received: number, refusal: RegExp][] = [
  ["127.0.0.1", 5, /^$/],
  ["::1", 5, /^$/],
  ["10.0.0.2", 5, /^$/],
  ["fd00::2", 5, /^$/],
  ["10.9.1.7", 0, /^(?:destination )?host unreachable$/],
  ["10.9.2.7", 0, /prohibited$|filtered$/],
  ["10.9.3.7", 0, /^$/],
  ["fd09::7", 0, /prohibited$|filtered$/],
];

/** Reason why the tests are skipped: a network namespace needs root, and not every container permits it. */
function whyNot(): string | false {
  if (ipv6SkipReason) return ipv6SkipReason;
  try {
    execFileSync("unshare", ["-n", "ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1"], {
      stdio: "ignore",
    });
    return false;
  } catch {
    return "no network of our own can be made here (needs root, unshare and ip)";
  }
}
const skip = whyNot();

for (const [what, drop, how = []] of [
  ["raw sockets", []],
  ["the program ping in another locale", ["env", "LC_ALL=de_DE.UTF-8"], ["--ping"]],
  [
    "ICMP datagram sockets without permission for raw ones",
    ["setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw"],
  ],
] as [string, string[], string[]?][])
  test(`[NC1] icmp through ${what} distinguishes replies, missing replies and routers' errors`, { skip }, async () => {
    const addresses = expected.map(([address]) => address);
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
    const argv = [...drop, ...node, script("print-echo-results.ts"), ...how, ...addresses];
    const { stdout } = await run("unshare", ["-n", "sh", script("run-in-test-network.sh"), ...argv]);
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as EchoRoundResult);
    for (const [at, [address, received, refusal]] of expected.entries()) {
      const result = results[at];
      assert.ok(result?.kind === "answered", `${address}: ${stdout}`);
      assert.equal(result.received, received, `${address}: ${stdout}`);
      assert.match(result.refusal, refusal, address);
    }
  });
