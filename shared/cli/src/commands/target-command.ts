import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { ExecuteRequest } from "@realmwatch/proto/svc/v1/realm_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { CliContext } from "../cli-command.ts";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
import type { CliOutput } from "../output/cli-output.ts";
import { refText } from "../output/format-object.ts";
import { readTarget } from "../parse/read-target.ts";

type Commands = typeof CommandService.method;
/** Commands with a target and an empty response. */
type TargetedCommand = Exclude<NonNullable<ExecuteRequest["command"]["case"]>, "scheduleDowntime">;

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

type OnTarget = {
  /** The argument that names an object; undefined for a selection. */
  readonly word: string | undefined;
  readonly selector: string | undefined;
  readonly context: Pick<CliContext, "server">;
};

/**
 * Sends a command on a target, for an output with one sentence.
 *
 * @param done makes the sentence from the text of the target
 */
export async function sendToTarget<K extends TargetedCommand>(
  name: K,
  { word, selector, context }: OnTarget,
  fields: Omit<MessageInitShape<Commands[K]["input"]>, "target">,
  done: (target: string) => string,
): Promise<Result<CliOutput, CliFailure>> {
  const target = readTarget(word, selector);
  if (!target.ok) return wrongUsage(target.error);
  const request = { ...fields, target: target.value } as MessageInitShape<Commands[K]["input"]>;
  const answer = await context.server.command(name, request);
  return answer.ok ? ok(doneOutput(done(formatTarget(target.value)))) : answer;
}
