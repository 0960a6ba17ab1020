import { unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { type CommandFileLine, LineSplitter } from "./line-splitter.ts";
import { type FifoFile, openFifo, statPath } from "./open-fifo.ts";

/** Most lines in memory; above, the FIFO is not read, so that it fills up and its writers wait. */
const maxWaiting = 8_000;
/** Most lines of one call of `take`. */
const maxPerCall = 4_000;
/** Interval at which the path is checked for still being this FIFO, ms. */
const checkEveryMs = 10_000;

type CommandFifoOptions = {
  readonly path: string;
  readonly clock: Clock;
  /** Processes lines in order; called again when it has resolved. Must not reject. */
  take(lines: readonly CommandFileLine[]): Promise<void>;
  warn(message: string): void;
};

export type CommandFifo = {
  /** Stops reading, waits until all read lines are processed, and removes the FIFO. */
  close(): Promise<void>;
};

/**
 * Creates the command file, a FIFO, and reads it without blocking. A FIFO that is removed is created again.
 *
 * @returns the command file, or the reason why it cannot be opened, as a sentence
 */
export function openCommandFifo(options: CommandFifoOptions): Result<CommandFifo, string> {
  const { path, clock, take, warn } = options;
  const first = openFifo(path);
  if (!first.ok) return first;
  const waiting: CommandFileLine[] = [];
  let taking: Promise<void> | undefined;
  let current = read(first.value);
  let lastWarning = "";
  const stopChecks = repeat(clock, checkEveryMs, checkPath);

  function read(fifo: FifoFile): { readonly fifo: FifoFile; readonly socket: Socket } {
    for (const warning of fifo.warnings) warn(warning);
    const lines = new LineSplitter();
    const socket = new Socket({ fd: fifo.fd, readable: true, writable: false });
    socket.on("data", (chunk: Buffer) => {
      for (const line of lines.take(chunk)) waiting.push(line);
      if (waiting.length > maxWaiting) socket.pause();
      if (waiting.length > 0) taking ??= takeAll();
    });
    socket.on("error", (error) => warn(`the command file ${path} cannot be read: ${error.message}`));
    return { fifo, socket };
  }

  async function takeAll(): Promise<void> {
    while (waiting.length > 0) {
      await take(waiting.splice(0, maxPerCall));
      if (waiting.length <= maxWaiting) current.socket.resume();
    }
    taking = undefined;
  }

  function checkPath(): void {
    if (isAt(path, current.fifo)) return;
    if (statPath(path) !== undefined)
      return warnOnce(`something else is at ${path} now: programs that open it do not reach the command file`);
    const again = openFifo(path);
    if (!again.ok) return warnOnce(again.error);
    warn(`the command file ${path} was removed and is created again`);
    current.socket.destroy();
    current = read(again.value);
    lastWarning = "";
  }

  function warnOnce(message: string): void {
    if (lastWarning !== message) warn(message);
    lastWarning = message;
  }

  return ok({
    async close() {
      stopChecks();
      current.socket.pause();
      while (taking !== undefined) await taking;
      if (isAt(path, current.fifo)) remove(path, warn);
      current.socket.destroy();
    },
  });
}

function isAt(path: string, { inode }: FifoFile): boolean {
  const found = statPath(path);
  return found !== undefined && BigInt(found.ino) === inode;
}

/** Removes the FIFO. One that remains is reused by the next start. */
function remove(path: string, warn: (message: string) => void): void {
  try {
    unlinkSync(path);
  } catch (error) {
    warn(`the command file ${path} cannot be removed: ${errorText(error)}`);
  }
}
