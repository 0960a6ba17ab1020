import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type LegacySpec = { readonly type: "legacy"; readonly path: string; readonly args: readonly string[] };

export const legacyCheckKind = checkKind({
  ...programVariants.legacy,
  runs: "program",
  compile: ({ path, args }): LegacySpec => ({ type: "legacy", path, args }),
});
