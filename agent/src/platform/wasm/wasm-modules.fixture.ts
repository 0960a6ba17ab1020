import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openWabt from "wabt";

const wabt = await openWabt();
const features = { multi_memory: true, threads: true, memory64: true, mutable_globals: true };

const wasi = (name: string, params: string): string =>
  `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param ${params}) ${name === "proc_exit" ? "" : "(result i32)"}))`;
const imports = [
  wasi("fd_write", "i32 i32 i32 i32"),
  wasi("fd_read", "i32 i32 i32 i32"),
  wasi("proc_exit", "i32"),
  wasi("args_sizes_get", "i32 i32"),
  wasi("args_get", "i32 i32"),
  wasi("environ_sizes_get", "i32 i32"),
  wasi("environ_get", "i32 i32"),
  wasi("path_open", "i32 i32 i32 i32 i32 i64 i64 i32 i32"),
  wasi("sock_send", "i32 i32 i32 i32 i32"),
  wasi("poll_oneoff", "i32 i32 i32 i32"),
  wasi("proc_raise", "i32"),
  wasi("fd_close", "i32"),
  wasi("fd_renumber", "i32 i32"),
].join("\n");

/** Prints the `length` bytes at `at`. */
const print = (at: string, length: string, fd = 1): string =>
  `(i32.store (i32.const 0) ${at}) (i32.store (i32.const 4) ${length})
   (drop (call $fd_write (i32.const ${fd}) (i32.const 0) (i32.const 1) (i32.const 16)))`;
const exitWithCode = (code: number): string => `(call $proc_exit (i32.const ${code}))`;
/** Exits with the value of the expression `code`. */
const exitWith = (code: string): string => `(call $proc_exit ${code})`;
/** Code that prints a text, and its data segment at byte 1024. */
const printText = (text: string, fd = 1): { data: string; code: string } => ({
  data: `(data (i32.const 1024) ${JSON.stringify(text)})`,
  code: print("(i32.const 1024)", `(i32.const ${Buffer.byteLength(text)})`, fd),
});
const all = (what: "args" | "environ"): string =>
  `(drop (call $${what}_sizes_get (i32.const 32) (i32.const 36))) (drop (call $${what}_get (i32.const 8192) (i32.const 16384)))
   ${print("(i32.const 16384)", "(i32.load (i32.const 36))")} ${exitWithCode(0)}`;

type Parts = { readonly memory?: string; readonly more?: string; readonly data?: string };
/** Module with a `_start` function of `code`. */
export const commandModule = (code: string, { memory = "1", more = "", data = "" }: Parts = {}): string =>
  `(module ${imports} (memory (export "memory") ${memory}) ${data} ${more} (func (export "_start") ${code}))`;

export const printingModule = (text: string, code: number, fd = 1): string => {
  const printed = printText(text, fd);
  return commandModule(`${printed.code} ${exitWithCode(code)}`, { data: printed.data });
};

const grownText = printText("OK - grew to the limit");
/** Test modules as WebAssembly text. */
export const moduleSources = {
  ok: printingModule("OK - queue is short | depth=3;10;20;0", 0),
  critical: printingModule("CRITICAL - queue is long", 2),
  oddExit: printingModule("strange", 77),
  onStderr: printingModule("only here", 1, 2),
  returns: commandModule(printText("OK - just returned").code, { data: printText("OK - just returned").data }),
  args: commandModule(all("args")),
  environ: commandModule(all("environ")),
  loop: commandModule(`${printText("before").code} (loop $l (br $l))`, { data: printText("before").data }),
  // A subscription to the clock at byte 100: an hour in nanoseconds.
  sleep: commandModule(
    `(i64.store (i32.const 124) (i64.const 3600000000000))
     (drop (call $poll_oneoff (i32.const 100) (i32.const 200) (i32.const 1) (i32.const 300)))`,
  ),
  nap: commandModule(
    `(i64.store (i32.const 100) (i64.const 7)) (i64.store (i32.const 124) (i64.const 1000000))
     (if (call $poll_oneoff (i32.const 100) (i32.const 200) (i32.const 1) (i32.const 300)) (then ${exitWithCode(3)}))
     (if (i32.ne (i32.load (i32.const 300)) (i32.const 1)) (then ${exitWithCode(3)}))
     (if (i64.ne (i64.load (i32.const 200)) (i64.const 7)) (then ${exitWithCode(3)})) ${exitWithCode(0)}`,
  ),
  grow: commandModule(
    `(loop $l (br_if $l (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0))))
     (if (i32.ne (memory.size) (i32.const 1024)) (then ${exitWithCode(3)})) ${grownText.code} ${exitWithCode(0)}`,
    { memory: "16 65536", data: grownText.data },
  ),
  growAtOnce: commandModule(
    `(if (i32.ge_s (memory.grow (i32.const 65535)) (i32.const 0)) (then ${exitWithCode(3)})) ${exitWithCode(0)}`,
  ),
  touch: commandModule(
    `(local $at i32) (drop (memory.grow (i32.const 1000)))
     (loop $l (i32.store8 (local.get $at) (i32.const 1)) (local.set $at (i32.add (local.get $at) (i32.const 4096)))
       (br_if $l (i32.lt_u (local.get $at) (i32.const 65000000)))) ${exitWithCode(0)}`,
  ),
  unreachable: commandModule(`${printText("so far").code} unreachable`, { data: printText("so far").data }),
  outside: commandModule(`(drop (i32.load (i32.const 100000000)))`),
  recursion: commandModule(`(call $f)`, { more: "(func $f (call $f))" }),
  flood: commandModule(`(local $n i32) (loop $l ${print("(i32.const 1024)", "(i32.const 4096)")}
     (local.set $n (i32.add (local.get $n) (i32.const 1))) (br_if $l (i32.lt_u (local.get $n) (i32.const 1000)))) ${exitWithCode(1)}`),
  badPointer: commandModule(
    `(i32.store (i32.const 0) (i32.const -16)) (i32.store (i32.const 4) (i32.const 1000))
     ${exitWith(`(i32.ne (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)) (i32.const 21))`)}`,
  ),
  // 8 is "no such file descriptor": there is no folder to open anything in, and nothing to send to.
  opensFile: commandModule(
    exitWith(`(i32.ne (i32.const 8) (call $path_open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 10)
      (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)))`),
    { data: printText("etc/passwd").data },
  ),
  sends: commandModule(
    exitWith(`(i32.eqz (call $sock_send (i32.const 3) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 64)))`),
  ),
  // Reads 100 bytes from the empty standard input.
  reads: commandModule(
    `(i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 100))
     (if (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)) (then ${exitWithCode(3)}))
     ${exitWith("(i32.load (i32.const 16))")}`,
  ),
  raises: commandModule(exitWith(`(i32.ne (call $proc_raise (i32.const 9)) (i32.const 52))`)),
  // The three streams belong to the helper process, which runs other modules too.
  closes: commandModule(
    `(drop (call $fd_renumber (i32.const 1) (i32.const 0))) (drop (call $fd_close (i32.const 0)))
     (drop (call $fd_close (i32.const 1))) (drop (call $fd_close (i32.const 2))) ${exitWithCode(0)}`,
  ),
  badImport: `(module (import "env" "system" (func)) (memory (export "memory") 1) (func (export "_start")))`,
  unknownImport: `(module (import "wasi_snapshot_preview1" "fd_teleport" (func)) (memory (export "memory") 1) (func (export "_start")))`,
  wrongImport: `(module (import "wasi_snapshot_preview1" "fd_write" (memory 1)) (func (export "_start")))`,
  library: `(module (memory (export "memory") 1) (func (export "run")))`,
  noMemory: `(module (func (export "_start")))`,
  hungry: `(module (memory (export "memory") 1025) (func (export "_start")))`,
  twoMemories: `(module (memory (export "memory") 1) (memory 1) (func (export "_start")))`,
  sharedMemory: `(module (memory (export "memory") 1 2 shared) (func (export "_start")))`,
  wideMemory: `(module (memory (export "memory") i64 1) (func (export "_start")))`,
} as const;
export type ModuleName = keyof typeof moduleSources;

/** Assembles a module; throws for invalid WebAssembly text. */
export const assembleModule = (source: string): Uint8Array =>
  wabt.parseWat("module.wat", source, features).toBinary({}).buffer;

/** Temporary folder of modules; `path` writes one at first use. */
export function openModuleFolder() {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-wasm-"));
  const written = new Set<string>();
  return {
    folder,
    path(name: ModuleName): string {
      const path = join(folder, `${name}.wasm`);
      if (!written.has(name)) writeFileSync(path, assembleModule(moduleSources[name]));
      written.add(name);
      return path;
    },
    /** Writes a file, extended to `size` bytes if given. */
    file(name: string, bytes: Uint8Array | string, size?: number): string {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      if (size !== undefined) truncateSync(path, size);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
