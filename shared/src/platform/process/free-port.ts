import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Ports to choose from. They lie below Linux' range of ephemeral ports: a port of that range can become the local port of
 * an outgoing connection before the program that it is meant for listens on it.
 */
const range = { first: 20_000, last: 32_000 } as const;

/**
 * Folder with a file for each port that a running process has taken; its content is the process id. Each user has one,
 * because a user cannot remove what killed processes of another have left.
 */
const reservations = join(tmpdir(), `realmwatch-ports-${process.getuid?.() ?? ""}`);

/**
 * Returns a TCP port that is free at `host`, an address, and that no other process gets from this function until this
 * process ends. Rejects when all ports are taken.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  mkdirSync(reservations, { recursive: true });
  const count = range.last - range.first;
  // Processes begin at different ports, so that they seldom try the same one.
  const start = (process.pid * 67 + held.length) % count;
  for (let step = 0; step < count; step++) {
    const port = range.first + ((start + step) % count);
    if (!reserve(port)) continue;
    if (await canListen(port, host)) return port;
  }
  throw new Error(`all TCP ports from ${range.first} to ${range.last} are taken`);
}

function reserve(port: number): boolean {
  const path = join(reservations, String(port));
  if (!create(path)) {
    if (isHeld(path)) return false;
    // Its process was killed.
    rmSync(path, { force: true });
    if (!create(path)) return false;
  }
  if (held.length === 0) process.once("exit", removeAll);
  held.push(path);
  return true;
}

/** Files of the ports of this process, removed at its exit. */
const held: string[] = [];

function removeAll(): void {
  for (const path of held) rmSync(path, { force: true });
}

function create(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function isHeld(path: string): boolean {
  try {
    process.kill(Number(readFileSync(path, "utf8")), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
