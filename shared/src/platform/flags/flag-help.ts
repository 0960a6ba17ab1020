import type { FlagTable } from "./flags.ts";

/** Flags of every command line. The parser handles them before the table. */
const commonFlags: FlagTable = {
  help: { kind: "switch", help: "Print this help." },
  version: { kind: "switch", help: "Print the version." },
};

/** Formats the text of `-help`. `usage`: the line that shows the program's syntax. */
export function formatFlagHelp(usage: string, table: FlagTable): string {
  const rows = Object.entries({ ...table, ...commonFlags })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => {
      const value = flag.kind === "switch" ? "" : ` ${flag.placeholder}`;
      const fallback = flag.kind === "value" && flag.fallback !== "" ? ` (default ${flag.fallback})` : "";
      const file = flag.kind === "secret" ? ` Also -${name}-file PATH.` : "";
      return [`  -${name}${value}`, `${flag.help}${fallback}${file}`] as const;
    });
  const width = Math.min(34, Math.max(0, ...rows.map(([left]) => left.length)) + 2);
  const lines = rows.map(([left, right]) =>
    left.length < width ? `${left.padEnd(width)}${right}` : `${left}\n${" ".repeat(width)}${right}`,
  );
  return [
    usage,
    "",
    ...lines,
    "",
    "Each flag is also an environment variable: -api-token is REALMWATCH_API_TOKEN. The flag takes precedence.",
    "",
  ].join("\n");
}
