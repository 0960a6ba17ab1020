import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { cpuSecondsOfTree } from "../process-tree.ts";
import type { CheckerSpeed } from "./peer-checker.ts";

const program = "prometheus-blackbox-exporter";
const inFlight = 16;
const [warmUpMs, windowMs] = [500, 2_000];

const configuration = `modules:
  tcp: {prober: tcp, timeout: 5s}
  http: {prober: http, timeout: 5s}
`;

type Probe = { readonly module: "tcp" | "http"; readonly target: string };

/** Measures the rate of each probe of the blackbox exporter over persistent connections; empty when not installed. */
export async function measureBlackbox(probes: readonly Probe[]): Promise<CheckerSpeed[]> {
  const folder = await mkdtemp(join(tmpdir(), "blackbox-"));
  const port = await freePort();
  await writeFile(join(folder, "blackbox.yml"), configuration);
  const options = [
    `--config.file=${folder}/blackbox.yml`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ];
  const exporter = spawn(program, options, { stdio: "ignore" });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight });
  try {
    await once(exporter, "spawn");
    while (!(await answers(pool))) await sleep(50);
    const found: CheckerSpeed[] = [];
    for (const probe of probes) found.push(await measure(pool, probe, exporter.pid ?? 0));
    return found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  } finally {
    await pool.destroy();
    exporter.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
}

async function measure(pool: Pool, { module, target }: Probe, pid: number): Promise<CheckerSpeed> {
  const path = `/probe?module=${module}&target=${encodeURIComponent(target)}`;
  const runFor = async (ms: number): Promise<number> => {
    const endMs = performance.now() + ms;
    let probes = 0;
    const one = async (): Promise<void> => {
      for (; performance.now() < endMs; probes += 1) {
        const text = await (await pool.request({ method: "GET", path })).body.text();
        if (!text.includes("\nprobe_success 1")) throw new Error(`${program} does not reach ${target}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
    return probes;
  };
  await runFor(warmUpMs);
  const before = { cpuSeconds: cpuSecondsOfTree(pid), atMs: performance.now() };
  const probes = await runFor(windowMs);
  return {
    checksPerSecond: probes / ((performance.now() - before.atMs) / 1_000),
    cpuMs: ((cpuSecondsOfTree(pid) - before.cpuSeconds) * 1_000) / probes,
  };
}

const answers = (pool: Pool): Promise<boolean> =>
  pool.request({ method: "GET", path: "/" }).then(
    ({ body }) => body.dump().then(() => true),
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
