import type { WasmMemory } from "./wasm-api.ts";

/** Thrown out of a WebAssembly program that grew past its limit; its instance is of no use afterwards. */
export class MemoryLimitReached extends Error {
  override readonly name = "MemoryLimitReached";
}

/** The part of a Go runtime that this module touches. */
export type GoImports = { readonly go: Record<string, (stackPointer: number) => void> };

/**
 * Ends a Go program as soon as its memory has grown past `limitBytes`. Go announces every growth by an import, so
 * nothing is polled and the collector gets no chance to thrash below a hard ceiling.
 */
export function limitMemory(imports: GoImports, limitBytes: number, memory: () => WasmMemory | undefined): void {
  const grown = imports.go["runtime.resetMemoryDataView"];
  if (grown === undefined) throw new TypeError("this Go runtime does not announce that its memory grows");
  imports.go["runtime.resetMemoryDataView"] = (stackPointer) => {
    grown(stackPointer);
    const bytes = memory()?.buffer.byteLength ?? 0;
    if (bytes > limitBytes) throw new MemoryLimitReached(`WebAssembly memory of ${bytes} bytes, limit ${limitBytes}`);
  };
}
