import type { WasmSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/words/outcome";
import type { ActiveCheckType } from "./check-type.ts";

/** Not run by this version: the object says so instead of staying silent. */
export const wasm: ActiveCheckType<WasmSpec> = {
  type: "wasm",
  onTimeout: "unknown",
  run: async () => outcome("unknown", 'check type "wasm" arrives with a later version'),
};
