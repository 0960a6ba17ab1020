import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";

export type ServerProcess = { readonly folder: string; readonly port: number; stop(): Promise<void> };

/** Folder of servers on Debian, which is not in every user's PATH. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

type ServerPlan = {
  readonly program: string;
  /** Writes the files that the program reads. */
  prepare(folder: string, port: number): void;
  argumentsFor(folder: string, port: number): readonly string[];
};

/** Starts a server in a temporary folder and waits until it accepts connections. `stop` removes the folder. */
export async function startServer(plan: ServerPlan): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-server-"));
  const port = await freePort("::");
  plan.prepare(folder, port);
  const child = spawn(plan.program, plan.argumentsFor(folder, port), { env, stdio: ["ignore", "pipe", "pipe"] });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => printed.push(String(chunk)));
  const exited = once(child, "exit").then(() => true);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  await until(`${plan.program} accepts`, () => accepts(port), { stopWhen: hasExited, seen: () => printed.join("") });
  return { folder, port, stop: () => stop(child, exited, folder) };
}

async function stop(child: ChildProcess, exited: Promise<boolean>, folder: string): Promise<void> {
  child.kill("SIGTERM");
  const impatient = setTimeout(() => child.kill("SIGKILL"), 5_000);
  if (child.exitCode === null && child.signalCode === null) await exited;
  clearTimeout(impatient);
  rmSync(folder, { recursive: true });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

/** Reason why a test is skipped; false when it can run. */
export function lacks(program: string): string | false {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { env, stdio: "ignore" });
    return false;
  } catch {
    return `there is no ${program} here`;
  }
}
