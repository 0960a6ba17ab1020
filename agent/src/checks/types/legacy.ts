import type { LegacySpec } from "@realmwatch/shared/config/check-kinds/legacy";
import { macroEnvironment } from "../check-macros.ts";
import type { ActiveCheckType } from "../check-type.ts";
import { judgeProgram } from "../judge/judge-program.ts";

/** Runs a monitoring plugin with literal arguments and without a shell. */
export const legacyCheckType: ActiveCheckType<LegacySpec> = {
  type: "legacy",
  onTimeout: "own",
  async run({ path, args }, context, { programs }, signal) {
    const { timeoutMs } = context;
    const request = { argv: [path, ...args] as const, env: macroEnvironment(context), timeoutMs };
    return judgeProgram(path, await programs.run(request, signal), timeoutMs);
  },
};
