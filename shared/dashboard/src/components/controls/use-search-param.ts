import { useNavigate, useSearch } from "@tanstack/react-router";

/** One parameter of the address, and a function that replaces it without a new entry in the browser's history. */
export function useSearchParam(name: string): readonly [value: string | undefined, set: (value: string) => void] {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const value = search[name];
  const set = (text: string): void => {
    // Each route knows the parameters of its own page only.
    const change = ((before: object) => ({ ...before, [name]: text })) as never;
    void navigate({ to: ".", search: change, replace: true, resetScroll: false });
  };
  return [typeof value === "string" ? value : undefined, set];
}

/** One of some choices that a parameter of the address names, `otherwise` without one, and a function that chooses. */
export function useChoiceParam<T extends string>(name: string, choices: readonly T[], otherwise: T) {
  const [text, choose] = useSearchParam(name);
  return [choices.find((choice) => choice === text) ?? otherwise, choose] as const;
}
