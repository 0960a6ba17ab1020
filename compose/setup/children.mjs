import { spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A family of long-running programs that end together. Each leads a process group of its own: a terminal's Ctrl-C
 * reaches only us, and ending a child ends all that it started.
 *
 * @param hear called with (name, text) for each line that `tell` of a child makes of its output
 * @param lost called with (child, how) when one ends that nobody told to
 * @param born called with the process id of each
 */
export function family({ hear, lost, born = () => undefined }) {
  const children = [];
  let ending;

  /**
   * Starts one program. Its whole output goes to `log`; `tell` picks what of a line a person should see.
   * A `server` is ended only when all that use servers have ended.
   */
  function start(name, command, args, { log, env = {}, cwd, server = false, tell = (line) => line }) {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const file = createWriteStream(log);
    const member = { name, log, child, server, exited: endOfChild(child) };
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(file, { end: false });
      createInterface({ input: stream }).on("line", (line) => {
        const text = tell(line);
        if (text) hear(name, text);
      });
    }
    child.on("error", (error) => ending ?? lost(member, error.message));
    child.on("exit", (code, signal) => ending ?? lost(member, `ended with ${signal ?? code}`));
    children.push(member);
    if (child.pid !== undefined) born(child.pid);
    return member;
  }

  /** Ends all: SIGTERM, and SIGKILL to whoever is still there after `graceMs`. Asking again changes nothing. */
  function stopAll(graceMs = 12_000) {
    ending ??= (async () => {
      await stopSome(
        children.filter((member) => !member.server),
        graceMs,
      );
      await stopSome(
        children.filter((member) => member.server),
        graceMs,
      );
      killAll();
    })();
    return ending;
  }

  async function stopSome(members, graceMs) {
    for (const { child } of members) signalGroup(child, "SIGTERM");
    const stopWaiting = new AbortController();
    const patience = sleep(graceMs, undefined, { signal: stopWaiting.signal }).catch(() => undefined);
    await Promise.race([Promise.all(members.map((member) => member.exited)), patience]);
    stopWaiting.abort();
  }

  /** At once and without waiting; also what a second impatient interrupt asks for. */
  function killAll() {
    for (const { child } of children) signalGroup(child, "SIGKILL");
  }

  return { start, stopAll, killAll };
}

const endOfChild = (child) =>
  new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/** The last lines of a log, indented. */
export const endOf = (log, lines = 12) =>
  readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join("\n");
