import { oneOf } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { agentFlags } from "../flags.ts";

/** Flags that control how a sub-command reads a document. */
export const documentFlags = {
  "config-profile": agentFlags["config-profile"],
  "config-timeout": agentFlags["config-timeout"],
  "config-memory": agentFlags["config-memory"],
  "cue-command": agentFlags["cue-command"],
} as const satisfies FlagTable;

export const outputFlag = {
  kind: "value",
  help: "`table` or `json`.",
  placeholder: "FORMAT",
  fallback: "table",
  parse: oneOf(["table", "json"]),
} as const;
