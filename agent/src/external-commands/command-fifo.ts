import { unlinkSync } from "node:fs";
import { Socket } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type FifoFile, openFifo, statPath } from "./open-fifo.ts";
import { LineSplitter, type CommandFileLine } from "./line-splitter.ts";

/** Lines that wait for whoever takes them; beyond it the FIFO is left to fill up, and its writers to wait. */
const mostWaiting = 8_000;
/** Lines that are handed over at a time. */
const mostAtOnce = 4_000;
/** How often the path is looked at: whether it still leads to us. ms */
const lookEveryMs = 10_000;

export type CommandFifoOptions = {
  readonly path: string;
  readonly clock: Clock;
  /** Takes lines in order; the next ones come when it resolves. Must not reject. */
  take(lines: readonly CommandFileLine[]): Promise<void>;
  warn(what: string): void;
};

export type CommandFifo = {
  /** Reads no more, waits for what was read to be taken, and removes the FIFO. */
  close(): Promise<void>;
};

/**
 * Makes the command file and reads it, a chunk at a time and never waiting for a writer. Where somebody removes it, it
 * is made anew.
 *
 * @returns why it cannot be had, as a sentence
 */
export function openCommandFifo(options: CommandFifoOptions): Result<CommandFifo, string> {
  const { path, clock, take, warn } = options;
  const first = openFifo(path);
  if (!first.ok) return first;
  const waiting: CommandFileLine[] = [];
  let taking: Promise<void> | undefined;
  let current = read(first.value);
  let told = "";
  let cancelLook = clock.after(lookEveryMs, look);

  function read(fifo: FifoFile): { readonly fifo: FifoFile; readonly socket: Socket } {
    for (const warning of fifo.warnings) warn(warning);
    const lines = new LineSplitter();
    const socket = new Socket({ fd: fifo.fd, readable: true, writable: false });
    socket.on("data", (chunk: Buffer) => {
      for (const line of lines.take(chunk)) waiting.push(line);
      if (waiting.length > mostWaiting) socket.pause();
      if (waiting.length > 0) handOver();
    });
    socket.on("error", (error) => warn(`the command file ${path} cannot be read: ${error.message}`));
    return { fifo, socket };
  }

  function handOver(): void {
    taking ??= takeAll().finally(() => {
      taking = undefined;
    });
  }

  async function takeAll(): Promise<void> {
    while (waiting.length > 0) {
      await take(waiting.splice(0, mostAtOnce));
      if (waiting.length <= mostWaiting) current.socket.resume();
    }
  }

  function look(): void {
    cancelLook = clock.after(lookEveryMs, look);
    if (isOurs()) return;
    if (statPath(path) !== undefined)
      return sayOnce(`something else is at ${path} now: who opens it does not reach the command file`);
    const again = openFifo(path);
    if (!again.ok) return sayOnce(again.error);
    warn(`the command file ${path} was gone and is made anew`);
    current.socket.destroy();
    current = read(again.value);
    told = "";
  }

  function sayOnce(what: string): void {
    if (told !== what) warn(what);
    told = what;
  }

  /** One that stays behind is taken over by the next start. */
  function remove(): void {
    try {
      unlinkSync(path);
    } catch (error) {
      warn(`the command file ${path} cannot be removed: ${error instanceof Error ? error.message : error}`);
    }
  }

  const isOurs = (): boolean => {
    const found = statPath(path);
    return found !== undefined && BigInt(found.ino) === current.fifo.inode;
  };

  return ok({
    async close() {
      cancelLook();
      current.socket.pause();
      while (taking !== undefined) await taking;
      if (isOurs()) remove();
      current.socket.destroy();
    },
  });
}
