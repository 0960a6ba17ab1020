import { expandMacros } from "../text/command/macro.ts";
import { isSecretName, maskSecrets, maskText } from "../text/command/mask-secrets.ts";
import type { CommandTemplate } from "../text/command/prepare-command.ts";
import { type CheckSpec, checkTarget } from "./check-kinds/check-kinds.ts";
import { type MacroSubject, readConfiguredMacro } from "./configured-macros.ts";

/** Checked object with its host and the declared commands. */
type CheckedSubject = Pick<MacroSubject, "host"> & {
  readonly plan: MacroSubject["plan"] & { readonly check: CheckSpec };
  readonly commands: Readonly<Record<string, CommandTemplate>>;
};

/**
 * Command line of a check for readers: macros that the configuration determines are expanded; resources and macros of the
 * state keep their names; secrets are masked. Of a check without a program its target; empty for a passive check.
 */
export function describeCheckCommand({ plan, host, commands }: CheckedSubject): string {
  const expandCommand = (name: string, args: readonly string[]): string => {
    const template = Object.hasOwn(commands, name) ? commands[name] : undefined;
    return template === undefined ? "" : expandLine(template.line, args, { plan, host });
  };
  return maskSecrets(checkTarget(plan.check, expandCommand));
}

function expandLine(line: string, args: readonly string[], subject: MacroSubject): string {
  const lookup = (name: string): string | undefined => {
    const value = readConfiguredMacro(name, subject);
    return value !== undefined && name.startsWith("_") && isSecretName(name) ? maskText : value;
  };
  const ofArgument = (name: string): string | undefined => {
    const number = /^ARG(\d+)$/.exec(name)?.[1];
    return number === undefined ? undefined : expandMacros(args[Number(number) - 1] ?? "", lookup);
  };
  return expandMacros(line, (name) => ofArgument(name) ?? lookup(name));
}
