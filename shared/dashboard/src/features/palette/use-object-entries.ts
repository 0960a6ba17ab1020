import { useQuery } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { formatObjectName } from "../../api/status/object-key.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";
import { objectRoute } from "../../components/object/object-link.tsx";
import type { PaletteEntry } from "./palette-entries.ts";

/** Number of objects that are listed, and of those that the listed ones are chosen from. */
const [maxObjects, rankedObjects] = [8, 60] as const;

export type PaletteObject = PaletteEntry & {
  readonly status: Status;
  /** True when the realm of the object is not current. */
  readonly lastKnown: boolean;
};

/** Objects that have each typed word in their names, realm or output, worst first; none for an empty text. */
export function useObjectEntries(text: string): { entries: readonly PaletteObject[]; loading: boolean } {
  const navigate = useNavigate();
  const isStale = useIsStale();
  const search = text.trim();
  const { data, isFetching } = useQuery(
    QueryService.method.listStatus,
    { search, searchOutput: true, pageSize: rankedObjects, omitRealms: true },
    { enabled: search !== "", placeholderData: keepPreviousData },
  );
  if (search === "") return { entries: [], loading: false };
  const items = statusItemsOf(data?.rows ?? []);
  const words = search.toLowerCase().split(/\s+/);
  /** Number of typed words that are not whole words of the object's name or realm. */
  const missed = ({ key, realm }: StatusItem): number => {
    const own = `${key.kind === "service" ? key.host : ""} ${key.name} ${realm}`.toLowerCase().split(/\s+/);
    return words.filter((word) => !own.includes(word)).length;
  };
  const found = items.toSorted((a, b) => missed(a) - missed(b)).slice(0, maxObjects);
  const open = (item: StatusItem) => () => void navigate(objectRoute(item.realm, item.key));
  return {
    entries: found.map((item) => ({
      id: item.id,
      group: "Objects",
      label: formatObjectName(item.key),
      detail: item.realm === "" ? item.row.output : `${item.realm} · ${item.row.output}`,
      status: item.statusName,
      lastKnown: isStale(item),
      run: open(item),
    })),
    loading: isFetching,
  };
}
