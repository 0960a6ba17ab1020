import type { View } from "@realmwatch/proto/svc/v1/query_pb";

/** View as the team sees it: equal ones of several realms are one. */
export type TeamView = {
  readonly name: string;
  readonly selector: string;
  readonly description: string;
  /** Realms that have it; empty on an agent, and without the aggregator, which may have it too. */
  readonly realms: readonly string[];
  /** Realm of its address; empty when the name alone is enough. */
  readonly realm: string;
  /** Saved parts, by realm; empty when the configuration declares all of them. */
  readonly saved: readonly View[];
};

/** [VW5] Joins views with one name and selector. Those with one name and several selectors stay apart, by realm. */
export function joinViews(views: readonly View[]): readonly TeamView[] {
  const groups = Map.groupBy(views, ({ name, selector }) => JSON.stringify([name, selector]));
  const named = Map.groupBy(groups.values(), ([first]) => first?.name ?? "");
  return [...groups.values()].flatMap((parts): TeamView[] => {
    const [first] = parts;
    if (first === undefined) return [];
    const { name, selector } = first;
    return [
      {
        ...{ name, selector },
        description: parts.find(({ description }) => description !== "")?.description ?? "",
        realms: parts.map(({ realm }) => realm).filter((realm) => realm !== ""),
        realm: named.get(name)?.length === 1 ? "" : first.realm,
        saved: parts.filter(({ saved }) => saved),
      },
    ];
  });
}

/** Path of the page of a view, with its search parameters. */
export const viewPath = ({ name, realm }: Pick<TeamView, "name" | "realm">): string =>
  `/views/${encodeURIComponent(name)}${realm === "" ? "" : `?${new URLSearchParams({ realm })}`}`;
