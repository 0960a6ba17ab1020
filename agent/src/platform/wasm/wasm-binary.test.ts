import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limitModuleMemory } from "./wasm-binary.ts";
import { wasmEngine } from "./wasm-engine.ts";
import { assembleModule, commandModule, moduleSources } from "./wasm-modules.fixture.ts";

/** Size of the module's memory after it has grown to its limit, pages. */
function grown(source: string, cap: number): number {
  const capped = limitModuleMemory(assembleModule(source), cap);
  assert.ok(capped.ok);
  const { exports } = new wasmEngine.Instance(new wasmEngine.Module(new Uint8Array(capped.value)), {});
  return (exports["grow"] as () => number)();
}
const growing = (memory: string): string =>
  `(module (memory (export "memory") ${memory}) (func (export "grow") (result i32)
     (loop $l (br_if $l (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0)))) (memory.size)))`;

for (const [memory, cap, pages] of [
  ["1", 300, 300],
  ["1 65536", 300, 300],
  ["1 20", 300, 20],
  ["300", 300, 300],
] as const)
  test(`[WA3] memory ${memory} capped to ${cap} grows to ${pages} pages`, () =>
    assert.equal(grown(growing(memory), cap), pages));

test("[WA6] damaged bytes never throw", () => {
  const good = assembleModule(commandModule("nop", { data: "" }));
  const flip = fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255), cut: fc.nat(good.length) });
  fc.assert(
    fc.property(flip, ({ at, to, cut }) => {
      const bytes = Uint8Array.from(good).subarray(0, cut);
      if (at < cut) bytes[at] = to;
      limitModuleMemory(bytes, 1_024);
    }),
  );
});

test("every test module assembles", () => {
  for (const source of Object.values(moduleSources)) assert.ok(assembleModule(source).length > 8);
});
