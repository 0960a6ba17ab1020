import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** Numbers of Linux that are the same on every machine that `openLibc` takes. */
const cloexec = 0o2_000_000;
const nonblock = 0o4_000;
export const pollIn = 1;
export const pollOut = 4;
const setStatusFlags = 4;
const pidfdOpen = 434;
const setChildSubreaper = 36;
const closeRange = 436;
const markOnly = 4;
const setSignalsToDefault = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;
const noHang = 1;
const dontWait = 0x40;
const noSignal = 0x4000;
const waitAny = 0;
const exitedWithoutTaking = 1 | 4 | 0x0100_0000;

/** More than `posix_spawnattr_t` and its like take in any C library. */
const opaqueBytes = 1_024;
/** A process id within `siginfo_t` where pointers have 64 bits. */
const pidInSiginfo = 16;

const machines: readonly string[] = ["x64", "arm64", "riscv64", "loong64"];

/** What the C library is asked for. Numbers below 0 are failures; `errno` then says which. */
export type ProcessLibc = {
  /** Address of memory that V8 does not move: of `Buffer.allocUnsafeSlow`. */
  addressOf(memory: Uint8Array): number;
  errno(): number;
  /** Both ends close on exec. Undefined where there are no descriptors left. */
  pipe(): { readonly read: number; readonly write: number } | undefined;
  setNonblocking(fd: number): void;
  openNull(): number;
  read(fd: number, into: Buffer): number;
  write(fd: number, from: Buffer): number;
  /** To a socket, without waiting. */
  send(fd: number, from: Buffer): number;
  close(fd: number): void;
  /** @param set `struct pollfd`, `count` of them; @param timeoutMs -1 waits for ever */
  poll(set: Int32Array, count: number, timeoutMs: number): number;
  /**
   * Starts a program in a session of its own, with no signal blocked or ignored. Once it returns, the memory of its
   * arguments is free again.
   *
   * @param argv,envp addresses in two halves, ended by 0
   * @returns errno, or 0 and `pid` is set
   */
  spawn(argv: Uint32Array, envp: Uint32Array, stdio: readonly [number, number, number]): { errno: number; pid: number };
  /** A descriptor that becomes readable when the process ends. */
  openProcess(pid: number): number;
  killGroup(pid: number): void;
  /** The status as `wait` gives it, of a process that has ended. */
  takeStatus(pid: number): number;
  /** A child that has ended and was not waited for, 0 where there is none, below 0 where there is no child at all. */
  endedChild(): number;
  /** Has the orphans of this process' children become its own, so that it can wait for them. */
  adoptOrphans(): void;
  /** Has no program inherit a descriptor from `first` on, also none that this process was started with. */
  keepDescriptors(first: number): void;
};

/** The C library of this process; undefined where it cannot be reached or the system lacks what is needed. */
export async function openProcessLibc(): Promise<ProcessLibc | undefined> {
  if (process.platform !== "linux" || !machines.includes(process.arch) || endianness() !== "LE") return undefined;
  try {
    const libc = bind((await import("koffi")).default);
    const self = libc.openProcess(process.pid);
    if (self < 0) return undefined; // Linux before 5.3, or a sandbox that forbids it.
    libc.close(self);
    return libc;
  } catch {
    return undefined;
  }
}

const allSignals = 2n ** 64n - 1n;

/**
 * The signals that this process ignores and a program would inherit as ignored, as a `sigset_t`; undefined where the
 * system does not tell. Each signal that `posix_spawn` is to reset costs every start a system call.
 */
function ignoredSignals(): bigint | undefined {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    return mask === undefined ? undefined : BigInt(`0x${mask}`);
  } catch {
    return undefined;
  }
}

function bind(koffi: Pick<typeof import("koffi"), "address" | "errno" | "load">): ProcessLibc {
  const library = koffi.load(null);
  const pipe2 = library.func("int pipe2(void *fds, int flags)");
  const fcntl = library.func("int fcntl(int fd, int command, int value)");
  const open = library.func("int open(const char *path, int flags)");
  const read = library.func("long read(int fd, void *into, size_t bytes)");
  const write = library.func("long write(int fd, void *from, size_t bytes)");
  const send = library.func("long send(int fd, void *from, size_t bytes, int flags)");
  const close = library.func("int close(int fd)");
  const poll = library.func("int poll(void *set, unsigned long count, int ms)");
  const kill = library.func("int kill(int pid, int signal)");
  const waitpid = library.func("int waitpid(int pid, void *status, int options)");
  const waitid = library.func("int waitid(int kind, int id, void *info, int options)");
  const prctl = library.func("int prctl(int option, unsigned long value)");
  const syscall = library.func("long syscall(long number, long a, long b, long c)");
  const initActions = library.func("int posix_spawn_file_actions_init(void *actions)");
  const addDup2 = library.func("int posix_spawn_file_actions_adddup2(void *actions, int from, int to)");
  const endActions = library.func("int posix_spawn_file_actions_destroy(void *actions)");
  const spawnp = library.func(
    "int posix_spawnp(void *pid, void *file, void *actions, void *attributes, void *argv, void *envp)",
  );

  const attributes = Buffer.allocUnsafeSlow(opaqueBytes);
  const signals = Buffer.allocUnsafeSlow(opaqueBytes);
  library.func("int posix_spawnattr_init(void *attributes)")(attributes);
  library.func("int posix_spawnattr_setflags(void *attributes, short flags)")(
    attributes,
    setSession | setSignalsToDefault | setSignalMask,
  );
  library.func("int sigemptyset(void *set)")(signals);
  library.func("int posix_spawnattr_setsigmask(void *attributes, void *set)")(attributes, signals);
  signals.writeBigUInt64LE(ignoredSignals() ?? allSignals);
  library.func("int posix_spawnattr_setsigdefault(void *attributes, void *set)")(attributes, signals);

  const actions = Buffer.allocUnsafeSlow(opaqueBytes);
  const result = new Int32Array(new ArrayBuffer(opaqueBytes));

  return {
    addressOf: (memory) => Number(koffi.address(memory)),
    errno: () => koffi.errno(),
    pipe() {
      if (pipe2(result, cloexec) < 0) return undefined;
      return { read: result[0] as number, write: result[1] as number };
    },
    setNonblocking: (fd) => fcntl(fd, setStatusFlags, nonblock),
    openNull: () => open("/dev/null", cloexec),
    read: (fd, into) => Number(read(fd, into, into.length)),
    write: (fd, from) => Number(write(fd, from, from.length)),
    send: (fd, from) => Number(send(fd, from, from.length, dontWait | noSignal)),
    close: (fd) => close(fd),
    poll: (set, count, timeoutMs) => poll(set, count, timeoutMs),
    spawn(argv, envp, stdio) {
      const file = new BigUint64Array(argv.buffer, argv.byteOffset, 1)[0] as bigint;
      initActions(actions);
      for (const [to, from] of stdio.entries()) addDup2(actions, from, to);
      const errno = spawnp(result, file, actions, attributes, argv, envp);
      endActions(actions);
      return { errno, pid: result[0] as number };
    },
    openProcess: (pid) => Number(syscall(pidfdOpen, pid, 0, 0)),
    killGroup: (pid) => kill(-pid, 9),
    takeStatus: (pid) => (waitpid(pid, result, noHang) === pid ? (result[0] as number) : 0),
    endedChild() {
      result[pidInSiginfo / 4] = 0;
      return waitid(waitAny, 0, result, exitedWithoutTaking) < 0 ? -1 : (result[pidInSiginfo / 4] as number);
    },
    // Linux before 5.11 refuses; what Node.js opens closes by itself.
    keepDescriptors: (first) => syscall(closeRange, first, 0xffff_ffff, markOnly),
    adoptOrphans: () => prctl(setChildSubreaper, 1),
  };
}
