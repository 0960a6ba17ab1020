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
