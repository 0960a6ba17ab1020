import { quoteWord } from "../../text/command/shell-words.ts";
import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type LegacySpec = { readonly type: "legacy"; readonly path: string; readonly args: readonly string[] };

export const legacyCheckKind = checkKind({
  ...programVariants.legacy,
  compile: ({ path, args }): LegacySpec => ({ type: "legacy", path, args }),
  target: ({ path, args }) => [path, ...args.map(quoteWord)].join(" "),
});
