import type { Client } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { objectIdOf, oneOfSelector } from "../../api/status/object-key.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";
import { childOf, type ObjectChild } from "./object-child.ts";
import { leavesOf, type ProcessRule, type RuleChildren } from "./rule.ts";

/** Interval between polls of the children, ms; a change of the process, which follows from one of them, is another poll. */
const pollMs = 60_000;
/** Largest number of names in one selector. */
const namesPerSelector = 50;

/** Polls the objects that the rule of a process refers to; undefined before the first response. */
export function useRuleChildren(
  { realm, row }: StatusItem,
  process: ProcessRule | undefined,
): RuleChildren<ObjectChild> | undefined {
  const { query } = useAppContext();
  const { data } = useQuery({
    queryKey: ["rule children", realm, process, row.status, row.output],
    queryFn: ({ signal }) => (process === undefined ? noChildren : readChildren({ query, realm, signal }, process)),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });
  return data;
}

type Reader = { query: Client<typeof QueryService>; realm: string; signal: AbortSignal };

const noChildren: RuleChildren<ObjectChild> = { byRef: () => undefined, bySelector: () => undefined };

async function readChildren(reader: Reader, process: ProcessRule): Promise<RuleChildren<ObjectChild>> {
  const { refs, selectors } = leavesOf(process.rule);
  const read = async (request: ListRequest): Promise<readonly ObjectChild[]> =>
    (await readItems(reader, request)).map((item) => childOf(item, process));
  const services = refs.filter((ref) => ref.includes("!") && !ref.startsWith(processPrefix));
  const processes = refs.filter((ref) => ref.startsWith(processPrefix));
  const hosts = refs.filter((ref) => !ref.includes("!") && !ref.startsWith(processPrefix));
  const [named, selected] = await Promise.all([
    Promise.all(
      [
        ...requests("@host", unique(services.map((ref) => ref.slice(0, ref.indexOf("!")))), ObjectKind.SERVICE),
        ...requests("@name", unique(hosts), ObjectKind.HOST),
        ...processes.map((ref) => ({
          object: objectKeyToProto({ kind: "process", name: ref.slice(processPrefix.length) }),
        })),
      ].map(read),
    ),
    Promise.all(unique(selectors).map(async (selector) => [selector, await read({ selector })] as const)),
  ]);
  const byId = new Map(named.flat().map((child) => [child.id, child]));
  const bySelector = new Map(selected);
  return {
    byRef: (ref) => byId.get(`${objectIdOf(reader.realm, { kind: "host", name: "" })}${ref}`),
    bySelector: (selector) => bySelector.get(selector),
  };
}

const processPrefix = "process:";
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Requests for the objects of one kind with one of the names. */
function requests(key: string, names: readonly string[], kind: ObjectKind) {
  const chunks = Array.from({ length: Math.ceil(names.length / namesPerSelector) }, (_, at) =>
    names.slice(at * namesPerSelector, (at + 1) * namesPerSelector),
  );
  return chunks.map((chunk) => ({ selector: oneOfSelector(key, chunk), kinds: [kind] }));
}

type ListRequest = Parameters<Reader["query"]["listStatus"]>[0];

async function readItems({ query, realm, signal }: Reader, request: ListRequest): Promise<readonly StatusItem[]> {
  const { rows } = await query.listStatus({ ...request, realm, omitRealms: true }, { signal });
  return statusItemsOf(rows);
}
