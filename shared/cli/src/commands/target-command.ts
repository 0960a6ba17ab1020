import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { CliOutput } from "../output/cli-output.ts";
import { refText } from "../output/format-object.ts";

export const selectorFlag = {
  help: "All objects that the label selector matches, instead of a target.",
  placeholder: "EXPR",
} as const;

/** Formats the target for a sentence: `web1!http`, `all objects that match "env=prod"`. */
export function formatTarget({ target }: Target): string {
  if (target.case === "selector") return `all objects that match ${JSON.stringify(target.value)}`;
  if (target.case === "objects") return target.value.objects.map(refText).join(", ");
  return refText(target.value);
}

/** Output of a command with an empty response. @param sentence effect of the command */
export const doneOutput = (sentence: string): CliOutput => ({ json: {}, text: () => sentence, ids: [] });
