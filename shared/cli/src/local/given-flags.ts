/** The flags that were given, as the agent's program takes them; what was not given is left to its own default. */
export const givenFlags = (values: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`-${name}=${value}`]));
