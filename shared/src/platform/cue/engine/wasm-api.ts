/** Used part of WebAssembly, which the type declarations of Node.js lack. */
export type WasmMemory = { readonly buffer: ArrayBuffer };
export type WasmInstance = { readonly exports: { readonly mem: WasmMemory } };
type WasmModule = { readonly wasmModule: never };
type Instantiate = {
  (module: WasmModule, imports: object): Promise<WasmInstance>;
  (bytes: Uint8Array, imports: object): Promise<{ readonly module: WasmModule; readonly instance: WasmInstance }>;
};
type Wasm = { compile(bytes: Uint8Array): Promise<WasmModule>; instantiate: Instantiate };

export const wasm: Wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
