import { parseView, parseViewDeletion } from "@realmwatch/shared/commands/views/saved-views";
import type { SavedView, SelectorView } from "@realmwatch/shared/model/catalog";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { TextMap } from "@realmwatch/shared/platform/text-store";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";

/** [VW4] Views that were saved at the aggregator, which all aggregators on one store share. */
export type OwnViews = ReturnType<typeof ownViews>;

export function ownViews(store: TextMap, model: Pick<ReadModel, "catalogs">) {
  let last: readonly SavedView[] = [];

  async function read(): Promise<readonly SavedView[]> {
    const texts = [...(await store.all()).values()];
    last = texts.map((text) => JSON.parse(text) as SavedView).sort((a, b) => (a.name < b.name ? -1 : 1));
    return last;
  }

  /** Names of the views that the configurations of realms declare. */
  async function configuredNames(): Promise<Result<ReadonlySet<string>, Refusal>> {
    const catalogs = await model.catalogs();
    if (!catalogs.ok) return catalogs;
    const views = catalogs.value.flatMap((catalog) => catalog.views);
    return ok(new Set(views.filter(({ saved }) => saved !== true).map(({ name }) => name)));
  }

  /** Makes a change that `parse` accepts. */
  async function change(
    parse: (known: Parameters<typeof parseView>[1]) => Result<unknown, Refusal>,
    name: string,
    view?: SavedView,
  ): Promise<Result<unknown, Refusal>> {
    const configured = await configuredNames();
    if (!configured.ok) return configured;
    try {
      const parsed = parse({ configured: configured.value, saved: await read() });
      if (parsed.ok) await store.set(name, view && JSON.stringify(view));
      return parsed;
    } catch (error) {
      return fail({ kind: "unavailable", what: `the aggregator's views cannot be stored: ${errorText(error)}` });
    }
  }
  return {
    /** The saved views, sorted; as of the last read while the store is away. */
    async list(): Promise<readonly SelectorView[]> {
      const [views, configured] = await Promise.all([read().catch(() => last), configuredNames()]);
      // [VW2] The view of the configuration hides a saved one of its name.
      const shown = views.filter(({ name }) => !configured.ok || !configured.value.has(name));
      return shown.map((view) => ({ ...view, saved: true }));
    },
    async save(view: SavedView): Promise<Result<unknown, Refusal>> {
      const saved = await change((known) => parseView(view, known), view.name, view);
      return saved.ok ? ok(undefined) : saved;
    },
    delete: (name: string) => change((known) => parseViewDeletion(name, known), name),
  };
}
