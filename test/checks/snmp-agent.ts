import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";

export const authProtocols = ["MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] as const;
export const privProtocols = ["", "DES", "AES", "AES192", "AES256", "AES192C", "AES256C"] as const;
export const authPass = "the auth pass phrase";
export const privPass = "the priv pass phrase";
export const community = "a secret community";

/** Unregistered subtree below which the agent returns `snmpValues`. */
export const ownTree = "1.3.6.1.4.1.99999";

/** One value of each type, as used by the agent's `pass` directive. */
const snmpValues: Readonly<Record<string, readonly [type: string, value: string]>> = {
  "1.0": ["integer", "-42"],
  "2.0": ["gauge", "4294967295"],
  "3.0": ["counter", "4000000000"],
  "4.0": ["counter64", "18446744073709551615"],
  "5.0": ["timeticks", "27364507"],
  "6.0": ["string", "all is well"],
  "7.0": ["octet", "00 1a 2b 3c 4d 5e"],
  "8.0": ["objectid", ".1.3.6.1.4.1.8072.3.2.10"],
  "9.0": ["ipaddress", "192.0.2.7"],
  "10.0": ["string", "23.5"],
  "11.0": ["string", ""],
  "12.0": ["string", "42 C"],
  "13.0": ["counter64", "9007199254740993"],
};

export type SnmpAgent = {
  readonly port: number;
  /** Restarts it at the same port; `reborn` as another device with a new engine id and boot count. */
  restart(reborn: boolean): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a net-snmp agent on 127.0.0.1 and, where there is IPv6, ::1 with a user `u<auth><priv>` for each pair of protocols. */
export async function startSnmpAgent(): Promise<SnmpAgent> {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-snmpd-"));
  const port = await freeUdpPort();
  let machine = 1;
  writeFileSync(join(folder, "pass.sh"), passScript());
  let child = await run();
  return {
    port,
    async restart(reborn) {
      await end(child);
      if (reborn) machine++;
      child = await run();
    },
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  async function run(): Promise<ChildProcess> {
    const [config, log] = [join(folder, "snmpd.conf"), join(folder, "log")];
    writeFileSync(config, configuration(folder, port, machine));
    writeFileSync(log, "");
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", SNMP_PERSISTENT_DIR: join(folder, `m${machine}`), MIBS: "" };
    const started = spawn("snmpd", ["-f", "-C", "-c", config, "-I", "-smux", "-Lf", log], { env, stdio: "ignore" });
    const ended = once(started, "exit");
    ended.catch(() => {});
    const ready = () => readFileSync(log, "utf8").includes("NET-SNMP version");
    await until("snmpd to start", ready, { stopWhen: () => started.exitCode !== null });
    return started;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function configuration(folder: string, port: number, machine: number): string {
  const spell = (name: string): string => name.replace(/^(SHA|AES)(?=\d)/, "$1-").replace(/(?<=\d)C$/, "-C");
  const users = authProtocols.flatMap((auth) =>
    privProtocols.flatMap((priv) => [
      `createUser u${auth}${priv} ${spell(auth)} "${authPass}" ${priv === "" ? "" : `${spell(priv)} "${privPass}"`}`,
      `rouser u${auth}${priv} ${priv === "" ? "auth" : "priv"}`,
    ]),
  );
  return [
    `agentAddress udp:127.0.0.1:${port}${ipv6SkipReason ? "" : `,udp6:[::1]:${port}`}`,
    `engineID machine-${machine}`,
    `rocommunity "${community}" 127.0.0.1`,
    `rocommunity6 "${community}" ::1`,
    "sysName the machine",
    "createUser nobody",
    "rouser nobody noauth",
    `pass .${ownTree} /bin/sh ${join(folder, "pass.sh")}`,
    ...users,
    "",
  ].join("\n");
}

function passScript(): string {
  const cases = Object.entries(snmpValues).map(
    ([tail, [type, value]]) => `.${ownTree}.${tail}) printf '%s\\n' "$2" '${type}' '${value}';;`,
  );
  return `[ "$1" = -g ] || exit 0\ncase "$2" in\n${cases.join("\n")}\nesac\n`;
}

/** Returns a free UDP port of the loopback interface. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
