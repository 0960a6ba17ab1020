/** Formats a value as CUE on one line. Field names are quoted only when CUE requires it. */
export function formatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${formatName(name)}: ${formatLiteral(each)}`);
  return `{${fields.join(", ")}}`;
}

const formatName = (name: string): string => (/^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : JSON.stringify(name));
