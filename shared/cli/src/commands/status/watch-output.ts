import { sleep } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { CliContext } from "../../cli-command.ts";
import type { CliFailure } from "../../output/cli-failure.ts";
import type { CliOutput } from "../../output/cli-output.ts";
import { formatAge } from "../../output/format-object.ts";

/** Output with the time at which it was read, Unix ms. */
type ReadOutput = { readonly output: CliOutput; readonly atMs: number };

const leastMs = 1_000;

/** Parses the time between two readings, ms. */
export function readInterval(text: string): Result<number, string> {
  const interval = parseDuration(text);
  if (!interval.ok) return fail(`${JSON.stringify(text)} ${interval.error}`);
  return interval.value < leastMs ? fail(`${JSON.stringify(text)} is below 1s`) : interval;
}

/**
 * Reads an output again and again and shows it in place of the one before, until the user ends the program. The first
 * failure ends it at once; after a later one the last output stays, with its age and the reason, which a program that
 * reads JSON gets on stderr only.
 */
export async function watchOutput(
  read: () => Promise<Result<CliOutput, CliFailure>>,
  { everyMs, context }: { readonly everyMs: number; readonly context: CliContext },
): Promise<Result<undefined, CliFailure>> {
  const { clock, format, report, show, stopSignal } = context;
  const isForPrograms = format === "json" || format === "ndjson";
  const stop = stopSignal?.() ?? new AbortController().signal;
  const stopped = new Promise<undefined>((resolve) => stop.addEventListener("abort", () => resolve(undefined)));
  let last: ReadOutput | undefined;
  while (!stop.aborted) {
    const answer = await Promise.race([read(), stopped]);
    if (answer === undefined) break;
    if (!answer.ok && last === undefined) return answer;
    if (answer.ok) last = { output: answer.value, atMs: clock.now() };
    if (answer.ok) show(answer.value);
    else if (isForPrograms) for (const line of answer.error.lines) report(line);
    else if (last !== undefined) show(outdated(last, answer.error));
    await sleep(clock, everyMs, stop);
  }
  return ok(undefined);
}

/** Last output, below the failure of the newer request. */
function outdated({ output, atMs }: ReadOutput, failure: CliFailure): CliOutput {
  return {
    ...output,
    text: (screen) =>
      [...failure.lines, `state of ${formatAge(timestampToProto(atMs), screen)} ago:`, "", output.text(screen)].join(
        "\n",
      ),
  };
}
