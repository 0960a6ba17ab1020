import { createRequire } from "node:module";
import { endianness } from "node:os";
import { bindPosixSpawn, type PosixSpawn } from "./posix-spawn.ts";

// Constants of 64-bit little-endian Linux; see `isLibcSupported`.
const cloexec = 0o2_000_000;
const nonblock = 0o4_000;
const setStatusFlags = 4;
const pidfdOpen = 434;
const closeRange = 436;
const markCloexec = 4;
const setChildSubreaper = 36;
const noHang = 1;
const dontWait = 0x40;
const noSignal = 0x4000;
const waitForAny = 0;
const exitedWithoutReaping = 1 | 4 | 0x0100_0000;
const realtimeClock = 0;
/** Offset of the process id in `siginfo_t`, bytes. */
const pidInSiginfo = 16;
const resultBytes = 1_024;

export const pollIn = 1;
export const pollOut = 4;

/** Calls to the C library. Results below 0 are failures, whose reason is in `errno`. */
export type Libc = PosixSpawn & {
  /** Address of memory that V8 does not move: of `Buffer.allocUnsafeSlow`. */
  addressOf(memory: Uint8Array): number;
  errno(): number;
  /** Opens a pipe whose ends close on exec; undefined when no descriptors are left. */
  pipe(): { readonly read: number; readonly write: number } | undefined;
  /** Opens an event counter that becomes readable when 8 bytes are written to it. */
  eventfd(): number;
  /** Opens a nonblocking socket that closes on exec. */
  socket(family: number, type: number, protocol: number): number;
  openNull(): number;
  setNonblocking(fd: number): void;
  read(fd: number, into: Buffer): number;
  /** Sends to a connected socket without waiting. */
  send(fd: number, from: Buffer): number;
  /** Sends a datagram to an address without waiting. */
  sendTo(fd: number, from: Buffer, address: Buffer): number;
  /** Receives up to `count` messages (`struct mmsghdr`) without waiting. */
  receiveMessages(fd: number, messages: Buffer, count: number, flags: number): number;
  setSocketOption(fd: number, option: readonly [level: number, name: number], value: Buffer): number;
  close(fd: number): void;
  /** @param set `count` times `struct pollfd`, two numbers each; @param timeoutMs -1 waits without limit */
  poll(set: Int32Array, count: number, timeoutMs: number): number;
  /** Wall clock of the kernel, which stamps packets; fractional Unix ms. */
  wallMs(): number;
  /** Opens a descriptor that becomes readable when the process ends. Needs Linux 5.3. */
  openProcess(pid: number): number;
  killGroup(pid: number): void;
  /** Reaps an ended process and returns its status as `wait` does. */
  takeStatus(pid: number): number;
  /** Id of an ended child that was not reaped; 0 when there is none, below 0 when there are no children. */
  endedChild(): number;
  /** Makes orphaned descendants children of this process, so that it can reap them. */
  adoptOrphans(): void;
  /** Closes all descriptors from `first` on at exec, including inherited ones. Fails before Linux 5.11. */
  closeOnExecFrom(first: number): void;
};

type Koffi = Pick<typeof import("koffi"), "address" | "errno" | "load">;

/** True when the constants and layouts in this folder are those of this machine. */
export const isLibcSupported = (): boolean =>
  process.platform === "linux" &&
  ["x64", "arm64", "riscv64", "loong64"].includes(process.arch) &&
  endianness() === "LE";

/** Opens the C library of this process; undefined when the machine is not supported or koffi is not installed. */
export function openLibc(): Libc | undefined {
  if (!isLibcSupported()) return undefined;
  try {
    // koffi's binaries are optional packages, so that loading it can fail.
    return bind(createRequire(import.meta.url)("koffi") as Koffi);
  } catch {
    return undefined;
  }
}

function bind(koffi: Koffi): Libc {
  const library = koffi.load(null);
  const pipe2 = library.func("int pipe2(void *fds, int flags)");
  const eventfd = library.func("int eventfd(uint32_t initial, int flags)");
  const socket = library.func("int socket(int family, int type, int protocol)");
  const setsockopt = library.func("int setsockopt(int fd, int level, int name, void *value, uint32_t bytes)");
  const fcntl = library.func("int fcntl(int fd, int command, int value)");
  const open = library.func("int open(const char *path, int flags)");
  const read = library.func("long read(int fd, void *into, size_t bytes)");
  const send = library.func("long send(int fd, void *from, size_t bytes, int flags)");
  const sendto = library.func("long sendto(int fd, void *from, size_t bytes, int flags, void *to, uint32_t toBytes)");
  const recvmmsg = library.func("int recvmmsg(int fd, void *messages, uint32_t count, int flags, void *timeout)");
  const close = library.func("int close(int fd)");
  const poll = library.func("int poll(void *set, unsigned long count, int ms)");
  const clockGettime = library.func("int clock_gettime(int clock, void *time)");
  const kill = library.func("int kill(int pid, int signal)");
  const waitpid = library.func("int waitpid(int pid, void *status, int options)");
  const waitid = library.func("int waitid(int kind, int id, void *info, int options)");
  const prctl = library.func("int prctl(int option, unsigned long value)");
  const syscall = library.func("long syscall(long number, long a, long b, long c)");
  const result = new Int32Array(new ArrayBuffer(resultBytes));
  const time = Buffer.allocUnsafeSlow(16);

  return {
    ...bindPosixSpawn(library),
    addressOf: (memory) => Number(koffi.address(memory)),
    errno: () => koffi.errno(),
    pipe() {
      if (pipe2(result, cloexec) < 0) return undefined;
      return { read: result[0] as number, write: result[1] as number };
    },
    eventfd: () => eventfd(0, nonblock | cloexec),
    socket: (family, type, protocol) => socket(family, type | nonblock | cloexec, protocol),
    openNull: () => open("/dev/null", cloexec),
    setNonblocking: (fd) => fcntl(fd, setStatusFlags, nonblock),
    read: (fd, into) => Number(read(fd, into, into.length)),
    send: (fd, from) => Number(send(fd, from, from.length, dontWait | noSignal)),
    sendTo: (fd, from, to) => Number(sendto(fd, from, from.length, dontWait | noSignal, to, to.length)),
    receiveMessages: (fd, messages, count, flags) => recvmmsg(fd, messages, count, flags | dontWait, null),
    setSocketOption: (fd, [level, name], value) => setsockopt(fd, level, name, value, value.length),
    close: (fd) => close(fd),
    poll: (set, count, timeoutMs) => poll(set, count, timeoutMs),
    wallMs() {
      clockGettime(realtimeClock, time);
      return readTimespec(time, 0);
    },
    openProcess: (pid) => Number(syscall(pidfdOpen, pid, 0, 0)),
    killGroup: (pid) => kill(-pid, 9),
    takeStatus: (pid) => (waitpid(pid, result, noHang) === pid ? (result[0] as number) : 0),
    endedChild() {
      result[pidInSiginfo / 4] = 0;
      return waitid(waitForAny, 0, result, exitedWithoutReaping) < 0 ? -1 : (result[pidInSiginfo / 4] as number);
    },
    adoptOrphans: () => prctl(setChildSubreaper, 1),
    closeOnExecFrom: (first) => syscall(closeRange, first, 0xffff_ffff, markCloexec),
  };
}

/** Converts a `struct timespec` to ms. */
export const readTimespec = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) * 1_000 +
  bytes.readInt32LE(at + 4) * 4_294_967_296_000 +
  bytes.readUInt32LE(at + 8) / 1_000_000;
