/** A value on one line as it would be written in a CUE document: names without quotes where they need none. */
export function showLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(showLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${showName(name)}: ${showLiteral(each)}`);
  return `{${fields.join(", ")}}`;
}

const showName = (name: string): string => (/^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : JSON.stringify(name));
