import { execFileSync, spawn } from "node:child_process";
import { readlinkSync, writeFileSync } from "node:fs";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { TestHost } from "../../run/processes.ts";

/** Hosts in network namespaces of their own, joined by this process' namespace, which routes between them. */
type TestNetwork<Name extends string> = {
  readonly hosts: Readonly<Record<Name, TestHost>>;
  /** Drops what a host sends to another one, without any sign at either end, until `heal`. */
  cut(from: Name, to: Name): void;
  /** Removes all cuts. */
  heal(): void;
};

/** Reason why no such network can be made here; false when it can. */
export function whyNoTestNetwork(): string | false {
  try {
    const attempt = "ip link add a0 type veth peer name a1 && ip rule add from 10.77.0.1 to 10.77.0.2 blackhole";
    execFileSync("unshare", ["-n", "sh", "-c", attempt], { stdio: "ignore" });
    return false;
  } catch {
    return "no network namespaces can be made here (needs root, unshare, nsenter and ip)";
  }
}

const ip = (...words: readonly string[]): void => void execFileSync("ip", words);

/** Makes the hosts. This process must be in a network namespace of its own, whose routes and rules it changes. */
export async function startTestNetwork<Name extends string>(
  scope: TestScope,
  names: readonly Name[],
): Promise<TestNetwork<Name>> {
  ip("link", "set", "lo", "up");
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
  const hosts = {} as Record<Name, TestHost>;
  for (const [at, name] of names.entries()) hosts[name] = await addHost(scope, at + 1);
  const cuts: (readonly string[])[] = [];
  return {
    hosts,
    cut(from, to) {
      const rule = ["from", hosts[from].address, "to", hosts[to].address, "blackhole"];
      ip("rule", "add", ...rule);
      cuts.push(rule);
    },
    heal() {
      for (const rule of cuts.splice(0)) ip("rule", "del", ...rule);
    },
  };
}

/** Makes a namespace that ends with this process, because its holder reads this process' pipe. */
async function addHost(scope: TestScope, number: number): Promise<TestHost> {
  const holder = spawn("unshare", ["-n", "cat"], { stdio: ["pipe", "ignore", "inherit"] });
  atEnd(scope, () => void holder.kill("SIGKILL"));
  const namespace = `/proc/${holder.pid}/ns/net`;
  await until("the namespace exists", () => readlinkSync(namespace) !== readlinkSync("/proc/self/ns/net"));
  const [router, address] = [`10.77.${number}.1`, `10.77.${number}.2`];
  const enter = ["nsenter", `--net=${namespace}`];
  ip("link", "add", `near${number}`, "type", "veth", "peer", "name", "far", "netns", String(holder.pid));
  ip("addr", "add", `${router}/24`, "dev", `near${number}`);
  ip("link", "set", `near${number}`, "up");
  const commands = [
    "ip link set lo up",
    `ip addr add ${address}/24 dev far`,
    "ip link set far up",
    `ip route add default via ${router}`,
  ];
  execFileSync("nsenter", [...enter.slice(1), "sh", "-ec", commands.join("\n")]);
  return { address, enter };
}
