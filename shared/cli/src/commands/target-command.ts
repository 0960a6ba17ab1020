import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { Answer } from "../answer.ts";
import { refText } from "../show-object.ts";

export const selectorFlag = {
  help: "Instead of a target: everything that the label selector matches.",
  placeholder: "EXPR",
} as const;

/** The target in a sentence: `web1!http`, `everything that "env=prod" selects`. */
export function showTarget({ target }: Target): string {
  if (target.case === "selector") return `everything that ${JSON.stringify(target.value)} selects`;
  return refText(target.value);
}

/** The answer of a command whose response says nothing. @param sentence what is on its way */
export const done = (sentence: string): Answer => ({ json: {}, text: () => sentence, ids: [] });
