import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { residentMb } from "../../faults/port/resident-memory.ts";
import { tempFolder } from "../../run/processes.ts";
import { descendantsOf } from "../process-tree.ts";
import { icinga2Arguments } from "./icinga2-checker.ts";
import { icinga2Validator } from "./icinga2-validator.ts";
import { nagios4Validator } from "./nagios4-validator.ts";
import type { ConfigurationSize, PeerValidator } from "./peer-validator.ts";

/** Other system that runs without executing checks. */
type PeerDaemon = {
  readonly name: string;
  readonly validator: PeerValidator;
  argumentsFor(folder: string): readonly string[];
  /** Text in its output or in the file `log` once it is up. */
  readonly upText: string;
  readonly log: string;
  /** Lines that switch checks off, by file. */
  readonly more: Readonly<Record<string, string>>;
};

/** Systems to compare starts and memory with. */
export const peerDaemons: readonly PeerDaemon[] = [
  {
    name: "Nagios 4",
    validator: nagios4Validator,
    argumentsFor: (folder) => [`${folder}/nagios.cfg`],
    upText: "Successfully launched command file worker",
    log: "nagios.log",
    more: {
      "nagios.cfg":
        "execute_service_checks=0\nexecute_host_checks=0\nuse_large_installation_tweaks=1\nretain_state_information=1\n",
    },
  },
  {
    name: "Icinga 2",
    validator: icinga2Validator,
    // Without a checker component no check is executed.
    argumentsFor: (folder) => icinga2Arguments(folder, "information"),
    upText: "Activated all objects",
    log: "icinga2.log",
    more: { "icinga2.conf": '\nobject IcingaApplication "app" { enable_notifications = false }\n' },
  },
];

/** Time from exec until a system is up, with the states of its run before, and its memory then. */
type StartedPeer = { readonly startMs: number; readonly residentMb: number };

/** Starts a system twice, the second time with retained states. Resolves with undefined when it is not installed. */
export async function measureDaemon(
  scope: TestScope,
  daemon: PeerDaemon,
  size: ConfigurationSize,
): Promise<StartedPeer | undefined> {
  const folder = tempFolder(scope, "peer");
  chmodSync(folder, 0o777);
  for (const [name, text] of Object.entries(daemon.validator.write(size, folder)))
    writeFileSync(join(folder, name), text + (daemon.more[name] ?? ""));
  try {
    await (await start(scope, daemon, folder)).stop();
    const { startMs, pid, stop } = await start(scope, daemon, folder);
    const pids = [pid, ...descendantsOf(pid)];
    const found = { startMs, residentMb: pids.reduce((sum, one) => sum + residentMb(one), 0) };
    await stop();
    return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function start(scope: TestScope, daemon: PeerDaemon, folder: string) {
  const file = join(folder, daemon.log);
  rmSync(file, { force: true });
  const startedMs = performance.now();
  const child = spawn(daemon.validator.program, daemon.argumentsFor(folder), { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output = (output + data).slice(-100_000);
    });
  await once(child, "spawn");
  atEnd(scope, () => stopChild(child));
  const isUp = (): boolean => {
    if (child.exitCode !== null) throw new Error(`${daemon.name} ended with ${child.exitCode}: ${output}`);
    const logged = existsSync(file) ? readFileSync(file, "utf8") : "";
    return `${output}${logged}`.includes(daemon.upText);
  };
  await until(`${daemon.name} is up`, isUp, {
    withinMs: 120_000,
    everyMs: 10,
    stopWhen: () => child.exitCode !== null,
  });
  const startMs = performance.now() - startedMs;
  return { startMs, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await gone;
  clearTimeout(timer);
}
