import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { EchoRoundResult } from "@realmwatch/agent/platform/icmp/echo-protocol";

const run = promisify(execFile);
const script = (name: string): string => join(import.meta.dirname, name);

/** What comes of each address, with a router of our own. */
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

/** Networks of one's own are for root, and not in every container. */
function whyNot(): string | false {
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
  ["the program ping, in a language of its own", ["env", "LC_ALL=de_DE.UTF-8"], ["--ping"]],
  [
    "the kernel's echo sockets, without the right to raw ones",
    ["setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw"],
  ],
] as [string, string[], string[]?][])
  test(`[NC1] icmp through ${what} tells replies, silence and routers' refusals apart`, { skip }, async () => {
    const addresses = expected.map(([address]) => address);
    const node = [process.execPath, "--conditions=source", "--disable-warning=ExperimentalWarning"];
    const argv = [...drop, ...node, script("print-verdicts.ts"), ...how, ...addresses];
    const { stdout } = await run("unshare", ["-n", "sh", script("own-network.sh"), ...argv]);
    const verdicts = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as EchoRoundResult);
    for (const [at, [address, received, refusal]] of expected.entries()) {
      const verdict = verdicts[at];
      assert.ok(verdict?.kind === "answered", `${address}: ${stdout}`);
      assert.equal(verdict.received, received, `${address}: ${stdout}`);
      assert.match(verdict.refusal, refusal, address);
    }
  });
