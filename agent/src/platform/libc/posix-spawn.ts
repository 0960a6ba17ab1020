import { readFileSync } from "node:fs";

const setSignalsToDefault = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;
const allSignals = 2n ** 64n - 1n;
/** More than the size of `posix_spawnattr_t` and its like in any C library. */
const opaqueBytes = 1_024;

type Library = ReturnType<typeof import("koffi")["load"]>;

export type PosixSpawn = {
  /**
   * Starts a program in a new session, with no signal blocked or ignored. The memory of its arguments may be reused
   * after the call.
   *
   * @param argv,envp 64-bit addresses in two halves, ended by 0
   * @returns errno, or 0 and the process id
   */
  spawn(argv: Uint32Array, envp: Uint32Array, stdio: readonly [number, number, number]): { errno: number; pid: number };
};

/** Binds `posix_spawnp` with attributes that all programs share. */
export function bindPosixSpawn(library: Library): PosixSpawn {
  const initActions = library.func("int posix_spawn_file_actions_init(void *actions)");
  const addDup2 = library.func("int posix_spawn_file_actions_adddup2(void *actions, int from, int to)");
  const destroyActions = library.func("int posix_spawn_file_actions_destroy(void *actions)");
  const spawnp = library.func(
    "int posix_spawnp(void *pid, void *file, void *actions, void *attributes, void *argv, void *envp)",
  );
  const attributes = createAttributes(library);
  const actions = Buffer.allocUnsafeSlow(opaqueBytes);
  const pid = new Int32Array(new ArrayBuffer(8));
  return {
    spawn(argv, envp, stdio) {
      const file = new BigUint64Array(argv.buffer, argv.byteOffset, 1)[0] as bigint;
      initActions(actions);
      for (const [to, from] of stdio.entries()) addDup2(actions, from, to);
      const errno = spawnp(pid, file, actions, attributes, argv, envp);
      destroyActions(actions);
      return { errno, pid: pid[0] as number };
    },
  };
}

function createAttributes(library: Library): Buffer {
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
  return attributes;
}

/**
 * Signals that this process ignores, as a `sigset_t`; undefined when unknown. Only these are reset,
 * because each costs a system call per start.
 */
function ignoredSignals(): bigint | undefined {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    return mask === undefined ? undefined : BigInt(`0x${mask}`);
  } catch {
    return undefined;
  }
}
