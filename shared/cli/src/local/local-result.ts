import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CliFailure } from "../output/cli-failure.ts";
import type { CliOutput, OutputFormat } from "../output/cli-output.ts";
import type { AgentProgramResult, AgentProgramRun, RunAgentProgram } from "./run-agent-program.ts";

/** Result of the agent's program, which printed its output itself; its exit code becomes that of the command. */
export const localResult = ({ code }: AgentProgramResult) =>
  code === 0 ? ok(undefined) : fail({ code: code === 2 || code === 3 ? code : 1, lines: [] } as const);

type Formatted = { readonly runAgent: RunAgentProgram; readonly format: OutputFormat };

/**
 * Runs a subcommand of the agent's program that prints a table or JSON. Its table is as wide as its content, so `wide` is
 * the same; lines of JSON are made from its JSON.
 */
export async function runFormatted(
  { runAgent, format }: Formatted,
  run: Pick<AgentProgramRun, "args" | "input">,
): Promise<Result<CliOutput | undefined, CliFailure>> {
  if (format !== "ndjson")
    return localResult(
      await runAgent({ ...run, args: [...run.args, `-output=${format === "json" ? "json" : "table"}`] }),
    );
  const answer = await runAgent({ ...run, args: [...run.args, "-output=json"], capture: true });
  if (answer.stdout.trim() === "") return localResult(answer);
  const failures = answer.code === 0 ? [] : [`realmwatch: ${run.args[0]} failed`];
  return ok({ json: JSON.parse(answer.stdout), text: () => answer.stdout, ids: [], failures });
}
