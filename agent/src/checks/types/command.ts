import type { CommandSpec } from "@realmwatch/shared/config/check-kinds/command";
import { outcome } from "@realmwatch/shared/model/outcome";
import { prepareCommand } from "@realmwatch/shared/text/command/prepare-command";
import { macroEnvironment, macroLookup } from "../check-macros.ts";
import type { ActiveCheckType } from "../check-type.ts";
import { judgeProgram } from "../judge/judge-program.ts";

/** Runs an entry of `commands`. Outputs contain the entry's name, but not its line, which may contain secrets. */
export const commandCheckType: ActiveCheckType<CommandSpec> = {
  type: "command",
  onTimeout: "own",
  async run(spec, context, { programs }, signal) {
    const { commands } = context.realm;
    const template = Object.hasOwn(commands, spec.command) ? commands[spec.command] : undefined;
    const what = `command ${JSON.stringify(spec.command)}`;
    if (template === undefined) return outcome("unknown", `${what} is not declared`);
    const prepared = prepareCommand(template, spec.args, macroLookup(context));
    if (!prepared.ok) return outcome("unknown", `${what} cannot be run: its line ${prepared.error}`);
    const { argv, env } = prepared.value;
    const { timeoutMs } = context;
    const ended = await programs.run({ argv, env: { ...macroEnvironment(context), ...env }, timeoutMs }, signal);
    return judgeProgram(what, ended, timeoutMs);
  },
};
