import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import {
  type SpawnedServer,
  startNatsServer,
  startRedisServer,
} from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";

/** Running agent, worker or aggregator under test. */
export type TestProgram = {
  /** Base URL: `http://127.0.0.1:PORT`, or with the address of its host. */
  readonly base: string;
  readonly port: number;
  readonly dataDir: string;
  readonly pid: number;
  /** Returns the last 200 000 characters of both output streams. */
  output(): string;
  /** Sends a signal, SIGTERM by default, and SIGKILL after 60 s. Resolves to the exit code; undefined after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | undefined>;
  /** Stops and starts it again with the same port, data and flags, and with the flags of `more`; waits until it is live. */
  restart(more?: TestFlags): Promise<void>;
  /** Sends a signal; after SIGSTOP it stands still at once. */
  signal(name: NodeJS.Signals): void;
};

/** Place of a program: its address, and the words before its command line that run it there, as in a network namespace. */
export type TestHost = { readonly address: string; readonly enter: readonly string[] };

const thisHost: TestHost = { address: "127.0.0.1", enter: [] };

export type TestFlags = Readonly<Record<string, string | number | boolean>>;
export type AgentStartOptions = {
  /** CUE document as text, or the path of a file (ends in `.cue`) or of a folder (ends in `/`). */
  readonly config: string;
  readonly realm?: string;
  readonly flags?: TestFlags;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: this machine's loopback. */
  readonly host?: TestHost;
  /** Folder of a built checkout whose program is run. Default: this one. */
  readonly checkout?: string | undefined;
};
type AggregatorStartOptions = Omit<AgentStartOptions, "config" | "realm"> & {
  readonly realms: string;
};

/** Creates a temporary folder that is removed at the end of the scope. */
export function tempFolder(scope: TestScope, name = "test"): string {
  const folder = mkdtempSync(join(tmpdir(), `realmwatch-${name}-`));
  atEnd(scope, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies the files of a process while it is stopped: those that it was about to write are missing, as after a loss of power. */
export function copyStopped(pid: number, from: string, to: string): void {
  stopProcess(pid);
  cpSync(from, to, { recursive: true });
  process.kill(pid, "SIGCONT");
}

/** Starts a nats-server with JetStream. */
export const startNats = (scope: TestScope, extra: readonly string[] = []): Promise<SpawnedServer> =>
  owned(scope, startNatsServer(extra));
/** Starts a redis-server. */
export const startRedis = (scope: TestScope, extra: readonly string[] = []): Promise<SpawnedServer> =>
  owned(scope, startRedisServer(extra));

async function owned(scope: TestScope, starting: Promise<SpawnedServer>): Promise<SpawnedServer> {
  const server = await starting;
  atEnd(scope, () => server[Symbol.asyncDispose]());
  return server;
}

/** Starts an agent and waits until it is live. Rejects with its output when it ends before. */
export function startTestAgent(
  scope: TestScope,
  { config, realm, flags = {}, ...options }: AgentStartOptions,
): Promise<TestProgram> {
  const document = asFile(scope, config, "config.cue");
  const words = { ...flags, config: document, ...(realm === undefined ? {} : { realm }) };
  return startProgram(scope, "agent", words, options);
}

/** Starts a worker and waits until it is live. */
export function startTestWorker(
  scope: TestScope,
  flags: TestFlags,
  env: AgentStartOptions["env"] = {},
): Promise<TestProgram> {
  return startProgram(scope, "agent", { ...flags, worker: true }, { env });
}

/** Starts an aggregator and waits until it is live. */
export function startTestAggregator(
  scope: TestScope,
  { realms, flags = {}, ...options }: AggregatorStartOptions,
): Promise<TestProgram> {
  return startProgram(scope, "aggregator", { ...flags, "realms-config": asFile(scope, realms, "realms.cue") }, options);
}

function asFile(scope: TestScope, text: string, name: string): string {
  if (!text.includes("\n") && /(\.cue|\/)$/.test(text)) return text;
  const file = join(tempFolder(scope, "document"), name);
  writeFileSync(file, text);
  return file;
}

/** Command line words of flags: true is a flag without a value, false leaves it out. */
const wordsOf = (flags: TestFlags): string[] =>
  Object.entries(flags).flatMap(([name, value]) =>
    value === false ? [] : value === true ? [`-${name}`] : [`-${name}`, String(value)],
  );

/** Spawns a built program. */
export function spawnProgram(
  name: "agent" | "aggregator",
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { host = thisHost, checkout }: Pick<AgentStartOptions, "host" | "checkout"> = {},
): ChildProcess {
  const line = [...host.enter, ...builtProgram(name, checkout), ...words];
  return spawn(line[0] ?? "", line.slice(1), {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

async function startProgram(
  scope: TestScope,
  name: "agent" | "aggregator",
  flags: TestFlags,
  { env = {}, host = thisHost, checkout }: Pick<AgentStartOptions, "env" | "host" | "checkout">,
): Promise<TestProgram> {
  const port = Number(flags["port"] ?? (await freePort()));
  const dataDir = String(flags["data-dir"] ?? tempFolder(scope, `${name}-data`));
  const { port: _port, ...rest } = flags;
  const base = `${flags["tls-cert"] === undefined ? "http" : "https"}://${host.address}:${port}`;
  const { "metrics-listen": probedAt } = flags;
  const probes = probedAt === undefined ? base : `http://${probedAt}`;
  let child: ChildProcess | undefined;
  let output = "";

  const start = async (more: TestFlags = {}): Promise<void> => {
    const words = wordsOf({ ...rest, listen: `${host.address}:${port}`, "data-dir": dataDir, ...more });
    const next = spawnProgram(name, words, env, { host, checkout });
    child = next;
    for (const stream of [next.stdout, next.stderr])
      stream?.on("data", (data: Buffer) => {
        output = (output + data).slice(-200_000);
      });
    next.once(
      "exit",
      cleanUpAtExit(() => signalGroup(next, "SIGKILL")),
    );
    await until(
      `${name} is live at ${probes}`,
      async () => {
        if (hasEnded(next))
          throw new Error(`${name} ended with ${next.exitCode ?? next.signalCode}:\n${output.slice(-2_000)}`);
        return (await fetch(`${probes}/healthz`)).ok;
      },
      { withinMs: 120_000, stopWhen: () => hasEnded(next) },
    );
  };

  const stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<number | undefined> => endOf(child, signal, 60_000);
  atEnd(scope, async () => {
    await endOf(child, "SIGTERM", 12_000);
  });
  await start();
  return {
    base,
    port,
    dataDir,
    get pid() {
      return child?.pid ?? 0;
    },
    output: () => output,
    stop,
    async restart(more) {
      await stop();
      await start(more);
    },
    signal(name) {
      if (name === "SIGSTOP" && child?.pid !== undefined) stopProcess(child.pid);
      else child?.kill(name);
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function endOf(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals,
  killAfterMs: number,
): Promise<number | undefined> {
  if (child === undefined || hasEnded(child)) return Promise.resolve(child?.exitCode ?? undefined);
  return new Promise((resolve) => {
    const killTimer = setTimeout(() => signalGroup(child, "SIGKILL"), killAfterMs);
    child.once("exit", (code) => {
      clearTimeout(killTimer);
      resolve(code ?? undefined);
    });
    child.kill(signal);
  });
}

/** Signals a program with everything it started. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/** TCP server to check. */
type TcpTarget = {
  readonly port: number;
  readonly address: string;
  close(): Promise<void>;
  open(): Promise<void>;
};

/** Starts a TCP server that sends a line to each client. `close` and `open` keep its port. */
export async function startTcpTarget(scope: TestScope): Promise<TcpTarget> {
  const port = await freePort();
  let server: Server | undefined;
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.end("hello\n");
      });
      server.on("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  const close = (): Promise<void> =>
    new Promise((resolve) => (server?.listening ? server.close(() => resolve()) : resolve()));
  atEnd(scope, close);
  await open();
  return { port, address: `127.0.0.1:${port}`, close, open };
}
