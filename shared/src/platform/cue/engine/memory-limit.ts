import type { WasmMemory } from "./wasm-api.ts";

/** Thrown from a WebAssembly program that exceeded its memory limit. Its instance cannot be used afterwards. */
export class MemoryLimitReached extends Error {
  override readonly name = "MemoryLimitReached";
}

/** Used part of a Go runtime's imports. */
export type GoImports = { readonly go: Record<string, (stackPointer: number) => void> };

/** Memory that Go programs of one process may use together. */
export type MemoryLimit = {
  readonly bytes: number;
  /** Resident memory of the process just before the first of the programs began, bytes. */
  readonly residentBefore: number;
  /** Number of programs that use it at present: together they exceed it as soon as one has more than its share. */
  readonly sharedBy: () => number;
};

/** Limit of a program that begins now and shares its memory with no other. */
export const ownLimit = (bytes: number): MemoryLimit => ({
  bytes,
  residentBefore: process.memoryUsage.rss(),
  sharedBy: () => 1,
});

/**
 * Ends a Go program as soon as it uses more than its limit. Go calls an import whenever its memory grows, so no
 * polling is needed. A hard maximum would make the garbage collector run continuously just below it. Memory that is
 * reserved but never used does not count (a third of it for a large document): once the WebAssembly memory exceeds the
 * limit, the growth of the process's resident set is compared with it.
 */
export function limitMemory(imports: GoImports, limit: MemoryLimit, memory: () => WasmMemory | undefined): void {
  const grown = imports.go["runtime.resetMemoryDataView"];
  if (grown === undefined) throw new TypeError("this Go runtime does not announce that its memory grows");
  imports.go["runtime.resetMemoryDataView"] = (stackPointer) => {
    grown(stackPointer);
    const bytes = memory()?.buffer.byteLength ?? 0;
    if (bytes > limit.bytes / limit.sharedBy() && process.memoryUsage.rss() - limit.residentBefore > limit.bytes)
      throw new MemoryLimitReached(`WebAssembly memory of ${bytes} bytes, limit ${limit.bytes}`);
  };
}
