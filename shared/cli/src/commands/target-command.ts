import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { CommandOutput } from "../output/command-output.ts";
import { refText } from "../output/format-object.ts";

export const selectorFlag = {
  help: "Instead of a target: everything that the label selector matches.",
  placeholder: "EXPR",
} as const;

/** The target in a sentence: `web1!http`, `everything that "env=prod" selects`. */
export function formatTarget({ target }: Target): string {
  if (target.case === "selector") return `everything that ${JSON.stringify(target.value)} selects`;
  return refText(target.value);
}

/** The answer of a command whose response says nothing. @param sentence what is on its way */
export const doneOutput = (sentence: string): CommandOutput => ({ json: {}, text: () => sentence, ids: [] });
