import type { WasmSpec } from "@realmwatch/shared/config/check-kinds/wasm";
import { outcome } from "@realmwatch/shared/model/outcome";
import { macroEnvironment } from "../check-macros.ts";
import type { ActiveCheckType } from "../check-type.ts";
import { judgeProgram } from "../judge/judge-program.ts";

/** Runs a WASI module as a monitoring plugin, with literal arguments and the macros as environment. */
export const wasmCheckType: ActiveCheckType<WasmSpec> = {
  type: "wasm",
  onTimeout: "own",
  async run({ module, args }, context, { modules }, signal) {
    const { timeoutMs } = context;
    const ended = await modules.run({ module, args, env: macroEnvironment(context), timeoutMs }, signal);
    switch (ended.kind) {
      case "refused":
        return { ...outcome("unknown", `cannot run ${module}: ${ended.why}`), executionMs: 0 };
      case "trapped": {
        const printed = [ended.stdout, ended.stderr].join("\n").replaceAll("\0", "").trim();
        return { ...outcome("unknown", `${module} trapped: ${ended.why}`, [], printed), executionMs: ended.elapsedMs };
      }
      default:
        return judgeProgram(module, ended, timeoutMs);
    }
  },
};
