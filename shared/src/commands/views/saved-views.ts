import type { SavedView } from "../../model/catalog.ts";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { nameProblem } from "../../text/object-name.ts";
import { formatSelectorError, parseSelector } from "../../text/selector/selector.ts";
import type { CommandRealm } from "../command-realm.ts";
import { missing } from "../resolve-target.ts";

/** Limits of saved views: characters, and views of one realm or aggregator. */
const limits = { name: 256, description: 1_024, views: 500 } as const;

/** Views that there are: names of those that the configuration declares, and those that were saved. */
export type KnownViews = {
  readonly configured: ReadonlySet<string>;
  readonly saved: readonly Pick<SavedView, "name">[];
};

/** Views of a realm. */
export const viewsOf = ({ plan, program }: CommandRealm): KnownViews => ({
  configured: new Set(plan.views.map(({ name }) => name)),
  saved: program.savedViews ?? [],
});

type ViewFields = Omit<SavedView, "author">;

/** [VW1, VW2] Validates a view to save. */
export function parseView({ name, selector, description }: ViewFields, known: KnownViews): Result<ViewFields, Refusal> {
  if (name.trim() === "") return malformed("name", "is required");
  if (name.length > limits.name) return malformed("name", `is longer than ${limits.name} characters`);
  const problem = nameProblem(name);
  if (problem !== undefined) return malformed("name", `has ${problem}`);
  if (description.length > limits.description)
    return malformed("description", `is longer than ${limits.description} characters`);
  const parsed = parseSelector(selector);
  if (!parsed.ok) return malformed("selector", formatSelectorError(parsed.error));
  if (known.configured.has(name)) return configured(name);
  if (known.saved.length >= limits.views && !known.saved.some((view) => view.name === name))
    return fail({ kind: "exhausted", what: `${limits.views} views are saved already: delete some first` });
  return ok({ name, selector, description });
}

/** [VW3] Validates the name of a view to delete. */
export function parseViewDeletion(name: string, known: KnownViews): Result<string, Refusal> {
  if (name === "") return malformed("name", "is required");
  if (known.saved.some((view) => view.name === name)) return ok(name);
  return known.configured.has(name) ? configured(name) : missing("name", `view ${JSON.stringify(name)}`);
}

const configured = (name: string): Result<never, Refusal> =>
  fail({ kind: "unconfigured", why: `view ${JSON.stringify(name)} is declared in the configuration` });

/** Saved views after one was saved, or deleted when `view` is undefined. */
export const withSavedView = (
  views: readonly SavedView[],
  name: string,
  view: SavedView | undefined,
): readonly SavedView[] => [...views.filter((other) => other.name !== name), ...(view === undefined ? [] : [view])];
