import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server program started for a test, a benchmark or a demonstration, with its own temporary folder. */
export type SpawnedServer = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
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

/** Starts a nats-server with JetStream on a free port. Rejects when the program is missing or ends at once. */
export const startNatsServer = (extra: readonly string[] = []): Promise<SpawnedServer> => start(nats, extra);
/** Starts a redis-server without persistence on a free port. */
export const startRedisServer = (extra: readonly string[] = []): Promise<SpawnedServer> => start(redis, extra);

/** Returns a TCP port of the loopback interface that is free at the time of the call. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function start(program: ServerProgram, extra: readonly string[]): Promise<SpawnedServer> {
  const folder = mkdtempSync(join(tmpdir(), `realmwatch-${program.name}-`));
  const port = await freePort();
  const run = () => spawnReady(program, [...program.args(port, folder), ...extra]);
  let child = await run();
  const stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => ended(child, signal);
  return {
    url: `${program.scheme}://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
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
    const kill = () => void child.kill("SIGKILL");
    process.once("exit", kill);
    let output = "";
    const onOutput = (data: Buffer): void => {
      output = (output + data).slice(-4_000);
      if (output.includes(ready)) resolve(child);
    };
    child.stdout.on("data", onOutput);
    child.stderr.on("data", onOutput);
    child.on("error", reject);
    child.on("exit", () => {
      process.off("exit", kill);
      reject(new Error(`${name} ended at once: ${output}`));
    });
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
