/** Formats the given flags for the agent's program; it applies its own defaults to the others. */
export const givenFlags = (values: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`-${name}=${value}`]));
