import type { WasmMemory } from "./wasm-api.ts";

/** Thrown out of a WebAssembly program that grew past its limit; its instance is of no use afterwards. */
export class MemoryLimitReached extends Error {
  override readonly name = "MemoryLimitReached";
}

/** The part of a Go runtime that this module touches. */
export type GoImports = { readonly go: Record<string, (stackPointer: number) => void> };

/**
 * Ends a Go program as soon as it holds more than `limitBytes`. Go announces every growth of its memory by an import,
 * so nothing is polled and the collector gets no chance to thrash below a hard ceiling. What a program has reserved
 * and never touched costs nobody anything, and of a large document that is a third: once the memory is larger than the
 * limit, what counts is how much the whole process has grown since.
 */
export function limitMemory(imports: GoImports, limitBytes: number, memory: () => WasmMemory | undefined): void {
  const grown = imports.go["runtime.resetMemoryDataView"];
  if (grown === undefined) throw new TypeError("this Go runtime does not announce that its memory grows");
  const residentAtFirst = process.memoryUsage.rss();
  imports.go["runtime.resetMemoryDataView"] = (stackPointer) => {
    grown(stackPointer);
    const bytes = memory()?.buffer.byteLength ?? 0;
    if (bytes > limitBytes && process.memoryUsage.rss() - residentAtFirst > limitBytes)
      throw new MemoryLimitReached(`WebAssembly memory of ${bytes} bytes, limit ${limitBytes}`);
  };
}
