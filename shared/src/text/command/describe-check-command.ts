import type { CheckSpec } from "../../config/check-kinds/check-kinds.ts";
import type { CommandTemplate } from "../../config/plan.ts";
import { type MacroSubject, readConfiguredMacro } from "./configured-macros.ts";
import { expandMacros } from "./macro.ts";
import { isSecretName, maskSecrets, maskText } from "./mask-secrets.ts";

/** Checked object with its host and the declared commands. */
export type CheckedSubject = Pick<MacroSubject, "host"> & {
  readonly plan: MacroSubject["plan"] & { readonly check: CheckSpec };
  readonly commands: Readonly<Record<string, CommandTemplate>>;
};

/**
 * Command line of a check for readers: macros that the configuration determines are expanded; resources and macros of the
 * state keep their names; secrets are masked. Of a check without a program its target; empty for a passive check.
 */
export function describeCheckCommand({ plan, host, commands }: CheckedSubject): string {
  const { check } = plan;
  switch (check.type) {
    case "command": {
      const template = Object.hasOwn(commands, check.command) ? commands[check.command] : undefined;
      if (template === undefined) return "";
      return maskSecrets(expandLine(template.line, check.args, { plan, host }));
    }
    case "legacy":
      return maskSecrets([check.path, ...check.args.map(quoted)].join(" "));
    case "wasm":
      return maskSecrets([check.module, ...check.args.map(quoted)].join(" "));
    case "http":
      return maskSecrets(check.url);
    case "tcp":
    case "tls":
      return `${check.host}:${check.port}`;
    case "dns":
      return `${check.name} @${check.host}:${check.port}`;
    case "icmp":
      return check.host;
    case "snmp":
      return `${check.address} ${check.oid}`;
    case "passive":
      return "";
  }
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

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
