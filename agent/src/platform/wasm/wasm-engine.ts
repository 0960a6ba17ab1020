declare const compiled: unique symbol;
export type CompiledModule = { readonly [compiled]: true };
export type ModuleInstance = { readonly exports: Readonly<Record<string, unknown>> };
export type ModuleImports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Engine = {
  readonly Module: {
    new (bytes: Uint8Array): CompiledModule;
    imports(module: CompiledModule): { readonly module: string; readonly name: string; readonly kind: string }[];
    exports(module: CompiledModule): { readonly name: string; readonly kind: string }[];
  };
  readonly Instance: new (module: CompiledModule, imports: ModuleImports) => ModuleInstance;
  readonly LinkError: new () => Error;
};

/** The used part of `WebAssembly`, whose types TypeScript has only in its browser library. */
export const wasmEngine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;
