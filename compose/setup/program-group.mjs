import { spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Opens a group of long-running programs that end together. Each leads a process group of its own: a terminal's Ctrl-C
 * reaches only this process, and ending a program ends all that it started.
 *
 * @param onLine           called with (name, text) for each line of output that `formatLine` does not drop
 * @param onUnexpectedExit called with (member, how) when a program ends that was not stopped
 * @param onStart          called with the process id of each program
 */
export function openProgramGroup({ onLine, onUnexpectedExit, onStart = () => undefined }) {
  const children = [];
  let ending;

  /**
   * Starts one program. Its whole output goes to the file `log`; `formatLine` turns a line into the text to print, empty
   * to drop it. A `server` is stopped only after all programs that are not servers have ended.
   */
  function start(name, command, args, { log, env = {}, cwd, server = false, formatLine = (line) => line }) {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const flags = children.some((other) => other.log === log) ? "a" : "w";
    takeOutput(child, createWriteStream(log, { flags }), (line) => {
      const text = formatLine(line);
      if (text) onLine(name, text);
    });
    const member = { name, log, child, server, exited: endOfChild(child), isKilled: false };
    child.on("error", (error) => ending ?? onUnexpectedExit(member, error.message));
    child.on("exit", (code, signal) => {
      if (!member.isKilled) ending ?? onUnexpectedExit(member, `ended with ${signal ?? code}`);
    });
    children.push(member);
    if (child.pid !== undefined) onStart(child.pid);
    return member;
  }

  /** Kills one program, as a crash would. Resolves when it has ended. */
  async function kill(member) {
    member.isKilled = true;
    signalGroup(member.child.pid, "SIGKILL");
    await member.exited;
  }

  /** Stops all: SIGTERM, and SIGKILL to those that still run after `graceMs`. Further calls return the same promise. */
  function stopAll(graceMs = 12_000) {
    ending ??= (async () => {
      for (const server of [false, true]) await stopSome(server, graceMs);
      killAll();
    })();
    return ending;
  }

  /** Stops the servers, or all other programs. */
  async function stopSome(server, graceMs) {
    const members = children.filter((member) => member.server === server);
    for (const { child } of members) signalGroup(child.pid, "SIGTERM");
    const stopWaiting = new AbortController();
    const patience = sleep(graceMs, undefined, { signal: stopWaiting.signal }).catch(() => undefined);
    await Promise.race([Promise.all(members.map((member) => member.exited)), patience]);
    stopWaiting.abort();
  }

  /** Kills all with SIGKILL, without waiting. */
  function killAll() {
    for (const { child } of children) signalGroup(child.pid, "SIGKILL");
  }

  return { start, kill, stopAll, killAll };
}

/** Writes what a program prints to a file, and passes each line on. */
function takeOutput({ stdout, stderr }, file, onLine) {
  for (const stream of [stdout, stderr]) {
    stream.pipe(file, { end: false });
    createInterface({ input: stream }).on("line", onLine);
  }
}

const endOfChild = (child) =>
  new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });

/** Sends a signal to the group of processes that a process leads; does nothing for one that could not be started. */
export function signalGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/** Last lines of a log, indented. */
export const lastLinesOf = (log, lines = 12) =>
  readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join("\n");
