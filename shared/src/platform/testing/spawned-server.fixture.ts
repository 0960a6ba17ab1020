import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpAtExit } from "../process/exit-cleanups.ts";
import { freePort } from "../testing/free-port.fixture.ts";

/** A server program started for a test, a benchmark or a demonstration, with its own temporary folder. */
export type SpawnedServer = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True once the program has ended, also by itself. */
  readonly hasEnded: boolean;
  /** Ends the program and waits for its exit. Port and files are kept for `restart`. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Restarts the program with the same port and files. */
  restart(): Promise<void>;
  /** Ends the program and deletes its files. */
  [Symbol.asyncDispose](): Promise<void>;
};

type ServerProgram = {
  readonly name: string;
  readonly args: (port: number, folder: string) => readonly string[];
  /** Text that the program prints when it is ready. */
  readonly ready: string;
  readonly scheme: string;
  /** Files to write to the folder before the start: text by name. */
  readonly files?: (port: number, folder: string) => Readonly<Record<string, string>>;
};

const nats: ServerProgram = {
  name: "nats-server",
  args: (port, folder) => ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder],
  ready: "Server is ready",
  scheme: "nats",
};
const redis: ServerProgram = {
  name: "redis-server",
  args: (port, folder) => [
    "--bind",
    "127.0.0.1",
    "--port",
    String(port),
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ],
  ready: "Ready to accept connections",
  scheme: "redis",
};

const prometheus: ServerProgram = {
  name: "prometheus",
  files: () => ({ "prometheus.yml": "global: {scrape_interval: 1h}\n" }),
  args: (port, folder) => [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--web.enable-remote-write-receiver",
  ],
  ready: "Server is ready to receive web requests",
  scheme: "http",
};
const clickHouse: ServerProgram = {
  name: "clickhouse-server",
  files: (port, folder) => ({
    "config.xml": `<yandex><logger><level>information</level><console>1</console></logger>
      <http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
      <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><users_config>${folder}/users.xml</users_config>
      <default_profile>default</default_profile><default_database>default</default_database>
      <mark_cache_size>268435456</mark_cache_size></yandex>`,
    "users.xml": `<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
      <users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile>
      <quota>default</quota></default></users><quotas><default></default></quotas></yandex>`,
  }),
  args: (_port, folder) => [`--config-file=${folder}/config.xml`],
  ready: "Ready for connections",
  scheme: "http",
};

/** Starts a nats-server with JetStream on a free port. Rejects when the program is missing or ends at once. */
export const startNatsServer = (extra: readonly string[] = []): Promise<SpawnedServer> => start(nats, extra);
/** Starts a redis-server without persistence on a free port. */
export const startRedisServer = (extra: readonly string[] = []): Promise<SpawnedServer> => start(redis, extra);
/**
 * Starts a Prometheus that receives remote write, on a free port.
 *
 * @param files texts by name that replace or extend those of its folder; `prometheus.yml` is one that scrapes nothing
 */
export const startPrometheusServer = (
  extra: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<SpawnedServer> =>
  start({ ...prometheus, files: (...given) => ({ ...prometheus.files?.(...given), ...files }) }, extra);
/** Starts a ClickHouse server without users' passwords on a free port for HTTP. */
export const startClickHouseServer = (): Promise<SpawnedServer> => start(clickHouse, []);

async function start(program: ServerProgram, extra: readonly string[]): Promise<SpawnedServer> {
  const folder = mkdtempSync(join(tmpdir(), `realmwatch-${program.name}-`));
  const port = await freePort();
  for (const [name, text] of Object.entries(program.files?.(port, folder) ?? {}))
    writeFileSync(join(folder, name), text);
  const run = () => spawnReady(program, [...program.args(port, folder), ...extra]);
  let child = await run();
  const stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => ended(child, signal);
  return {
    url: `${program.scheme}://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    get hasEnded() {
      return hasEnded(child);
    },
    stop,
    async restart() {
      await stop();
      child = await run();
    },
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function spawnReady({ name, ready }: ServerProgram, args: readonly string[]): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"] });
    // Servers must not outlive the test process.
    const cancelKill = cleanUpAtExit(() => void child.kill("SIGKILL"));
    let output = "";
    const onOutput = (data: Buffer): void => {
      output = (output + data).slice(-4_000);
      if (output.includes(ready)) resolve(child);
    };
    child.stdout.on("data", onOutput);
    child.stderr.on("data", onOutput);
    child.on("error", reject);
    child.on("exit", (code) => {
      cancelKill();
      if (!stopped.has(child)) process.stderr.write(`${name} has ended by itself with ${code}: ${output}\n`);
      reject(new Error(`${name} ended at once: ${output}`));
    });
  });
}

/** Programs that a test has stopped. */
const stopped = new WeakSet<ChildProcess>();

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return Promise.resolve();
  stopped.add(child);
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
