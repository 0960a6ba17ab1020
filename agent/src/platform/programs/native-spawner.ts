import { accessSync, constants } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, join } from "node:path";
import type { Libc } from "../libc/libc.ts";
import type { StartOrder } from "./helper-frames.ts";
import { OutputPipe } from "./output-pipe.ts";

const { EINVAL, EMFILE, ENOEXEC } = system.errno;

type Strings = Pick<StartOrder, "argc" | "envc" | "strings">;
type Spawned = { readonly errno: number; readonly pid: number };

/** Result for strings that contain NUL, which makes them more strings than announced. */
const invalid: Spawned = { errno: EINVAL, pid: 0 };

export type StartedProgram = {
  readonly pid: number;
  /** Descriptor that becomes readable when the program ends. */
  readonly pidfd: number;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
};

/** Starts programs with posix_spawn(3). */
export class NativeSpawner {
  readonly #libc: Libc;
  readonly #null: number;
  readonly #shell = memoryOf("/bin/sh");
  #pointers = new Uint32Array(0);

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#null = libc.openNull();
  }

  /** Starts a program; returns an errno when it cannot. */
  start(order: StartOrder): StartedProgram | number {
    const opened: number[] = [];
    const pipe = (): ReturnType<Libc["pipe"]> => {
      const ends = this.#libc.pipe();
      if (ends !== undefined) opened.push(ends.read, ends.write);
      return ends;
    };
    const stdout = pipe();
    const stderr = pipe();
    const refuse = (errno: number): number => {
      for (const fd of opened) this.#libc.close(fd);
      return errno;
    };
    if (stdout === undefined || stderr === undefined) return refuse(this.#libc.errno() || EMFILE);

    const { errno, pid } = this.#spawn(order, [this.#null, stdout.write, stderr.write]);
    if (errno !== 0) return refuse(errno);
    const pidfd = this.#libc.openProcess(pid);
    if (pidfd < 0) {
      const why = this.#libc.errno();
      this.#libc.killGroup(pid);
      return refuse(why);
    }
    this.#libc.close(stdout.write);
    this.#libc.close(stderr.write);
    return {
      pid,
      pidfd,
      stdout: new OutputPipe(this.#libc, stdout.read),
      stderr: new OutputPipe(this.#libc, stderr.read),
    };
  }

  #spawn({ argc, envc, strings }: Strings, stdio: readonly [number, number, number]): Spawned {
    // One slot is left free before the arguments, for a shell.
    const pointers = this.#pointerTable(1 + argc + 1 + envc + 1);
    const [argv, envp] = [pointers.subarray(2), pointers.subarray(2 * (1 + argc + 1))];
    if (argc === 0 || !pointAt(this.#libc.addressOf(strings), { argc, envc, strings }, argv)) return invalid;
    const started = this.#libc.spawn(argv, envp, stdio);
    if (started.errno !== ENOEXEC) return started;
    // A script without a `#!` line is run with /bin/sh, as by execvp(3) and shells.
    const file = findFile(strings.toString("latin1", 0, strings.indexOf(0)));
    setPointer(pointers, 0, this.#libc.addressOf(this.#shell));
    setPointer(pointers, 1, this.#libc.addressOf(file));
    return this.#libc.spawn(pointers, envp, stdio);
  }

  #pointerTable(pointers: number): Uint32Array {
    if (this.#pointers.length < 2 * pointers) this.#pointers = new Uint32Array(new ArrayBuffer(16 * pointers));
    return this.#pointers;
  }
}

/** Fills `table` with the addresses of the strings and 0 after each list; false when their number is wrong. */
function pointAt(base: number, { argc, envc, strings }: Strings, table: Uint32Array): boolean {
  let at = 0;
  let slot = 0;
  for (let index = 0; index < argc + envc; index += 1) {
    if (index === argc) setPointer(table, slot++, 0);
    if (at >= strings.length) return false;
    setPointer(table, slot++, base + at);
    while (strings[at] !== 0) at += 1;
    at += 1;
  }
  if (envc === 0) setPointer(table, slot++, 0);
  setPointer(table, slot, 0);
  return at === strings.length;
}

/** Writes an address in two halves. Addresses have 48 bits, which fit into a number; bigints are slower. */
function setPointer(table: Uint32Array, slot: number, address: number): void {
  table[2 * slot] = address >>> 0;
  table[2 * slot + 1] = Math.floor(address / 2 ** 32);
}

/** Path of a program as a shell finds it: a name without a slash is looked up in PATH. */
function findFile(name: string): Buffer {
  const path = name.includes("/") ? [] : (process.env["PATH"] ?? "").split(delimiter);
  const found = path.map((folder) => join(folder || ".", name)).find(isExecutable) ?? name;
  return memoryOf(found);
}

/** NUL-terminated latin1 text in memory that V8 does not move. */
function memoryOf(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(text.length + 1);
  memory.write(`${text}\0`, "latin1");
  return memory;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(Buffer.from(file, "latin1"), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
