import { macroNamesIn, splitAtMacros } from "../macro.ts";

/** Macros whose values come from outside the configuration: from checks, passive results and users. */
const untrustedMacros: ReadonlySet<string> = new Set([
  ...["HOSTOUTPUT", "LONGHOSTOUTPUT", "HOSTPERFDATA"],
  ...["SERVICEOUTPUT", "LONGSERVICEOUTPUT", "SERVICEPERFDATA"],
  ...["NOTIFICATIONAUTHOR", "NOTIFICATIONCOMMENT"],
]);

export const hasUntrustedMacro = (text: string): boolean =>
  macroNamesIn(text).some((name) => untrustedMacros.has(name));

/** A macro with an untrusted value. `argument`: index of the argument that contains it; undefined: the line itself. */
export type UntrustedUse = { readonly macro: string; readonly argument: number | undefined };

/** Character of a line, or a value that replaces a macro there: never parsed, whatever it contains. */
export type LineUnit =
  | { readonly kind: "char"; readonly char: string }
  /** `text` is undefined when the value is not known before the line runs. */
  | { readonly kind: "value"; readonly text: string | undefined; readonly use: UntrustedUse | undefined };

export type LineContext = {
  /** Values of `$ARGn$`; undefined when they are not known. */
  readonly args: readonly string[] | undefined;
  /** Values of `$USERn$`. */
  readonly resources: Readonly<Record<string, string>>;
};

/** Splits a line into characters and macro values. The text of `$ARGn$` is part of the line, as at run time. */
export function unitsOf(line: string, { args, resources }: LineContext): LineUnit[] {
  const units: LineUnit[] = [];
  const addText = (text: string): void => {
    for (const char of text) units.push({ kind: "char", char });
  };
  const addPieces = (text: string, argument: number | undefined): void => {
    for (const piece of splitAtMacros(text)) {
      if (piece.kind === "text") {
        addText(piece.text);
        continue;
      }
      const number = argument === undefined ? /^ARG([0-9]+)$/.exec(piece.name)?.[1] : undefined;
      if (number !== undefined && args !== undefined) addPieces(args[Number(number) - 1] ?? "", Number(number) - 1);
      else units.push(macroUnit(piece.name, argument, resources));
    }
  };
  addPieces(line, undefined);
  return units;
}

function macroUnit(macro: string, argument: number | undefined, resources: LineContext["resources"]): LineUnit {
  const use = untrustedMacros.has(macro) ? { macro, argument } : undefined;
  return { kind: "value", text: Object.hasOwn(resources, macro) ? resources[macro] : undefined, use };
}
