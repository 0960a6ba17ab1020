/** Returns a parser of addresses: the parameters with these names that have a text. All others are dropped. */
export const searchTexts =
  <Name extends string>(...names: readonly Name[]) =>
  (raw: Readonly<Record<string, unknown>>): { [N in Name]?: string } =>
    Object.fromEntries(
      Object.entries(raw).filter(
        ([name, text]) => names.some((one) => one === name) && typeof text === "string" && text !== "",
      ),
    ) as { [N in Name]?: string };
