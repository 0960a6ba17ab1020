import { useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { countBy, readHostsBehind } from "./host-scope.ts";

/** Largest number of hosts for which services and child hosts are counted. */
const maxCounted = 1_000;

type HostsBehind = {
  /** True when there are hosts behind, and when that is not counted. */
  readonly offered: boolean;
  /** Undefined until they are read. */
  readonly items: readonly StatusItem[] | undefined;
  /** Reason why they cannot be read; null when they can, or are not wanted. */
  readonly error: Error | null;
};

const idsOf = (hosts: readonly StatusItem[]): readonly string[] => hosts.map(({ id }) => id);

/** Hosts that are reached through some hosts, which are read once they are wanted. */
export function useHostsBehind(hosts: readonly StatusItem[], isWanted: boolean): HostsBehind {
  const { query } = useAppContext();
  const ids = idsOf(hosts);
  const isCounted = hosts.length > 0 && hosts.length <= maxCounted;
  const { data: children, error: countError } = useQuery({
    queryKey: ["child hosts of", ids],
    queryFn: ({ signal }) => countBy("@parent", hosts, { query, signal }),
    enabled: isCounted,
  });
  const offered = hosts.length > 0 && (!isCounted || countError !== null || (children ?? 0) > 0);
  const { data, error } = useQuery({
    queryKey: ["hosts behind", ids],
    queryFn: ({ signal }) => readHostsBehind(hosts, { query, signal }),
    enabled: isWanted && offered,
    // The objects of a command stay the same while its dialog is open.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });
  return { offered, items: data, error: isWanted ? error : null };
}

/** Number of services of hosts; undefined for more hosts than are counted, and until it is known. */
export function useServiceCount(hosts: readonly StatusItem[]): number | undefined {
  const { query } = useAppContext();
  const { data } = useQuery({
    queryKey: ["services of", idsOf(hosts)],
    queryFn: ({ signal }) => countBy("@host", hosts, { query, signal }),
    enabled: hosts.length > 0 && hosts.length <= maxCounted,
  });
  return data;
}
