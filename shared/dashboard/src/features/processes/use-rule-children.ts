import type { Client } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { objectIdOf } from "../../api/status/object-key.ts";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { leavesOf, type Rule, type RuleChild, type RuleChildren } from "./rule.ts";

/** Interval between polls of the children, ms. */
const pollMs = 5_000;
/** Largest number of names in one selector. */
const namesPerSelector = 50;

/** Child of a process. Its status is the last hard one, which rules use. */
export type ObjectChild = RuleChild & { readonly item: StatusItem };

/** Polls the objects that a rule refers to; undefined before the first response. */
export function useRuleChildren(realm: string, rule: Rule | undefined): RuleChildren<ObjectChild> | undefined {
  const { query } = useAppContext();
  const { data } = useQuery({
    queryKey: ["rule children", realm, rule],
    queryFn: ({ signal }) => readChildren({ query, realm, signal }, rule),
    refetchInterval: pollMs,
    structuralSharing: false,
  });
  return data;
}

type Reader = { query: Client<typeof QueryService>; realm: string; signal: AbortSignal };

async function readChildren(reader: Reader, rule: Rule | undefined): Promise<RuleChildren<ObjectChild>> {
  const { refs, selectors } = rule === undefined ? { refs: [], selectors: [] } : leavesOf(rule);
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
      ].map((request) => read(reader, request)),
    ),
    Promise.all(unique(selectors).map(async (selector) => [selector, await read(reader, { selector })] as const)),
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
  return chunks.map((chunk) => ({
    selector: `${key} in (${chunk.map((name) => JSON.stringify(name)).join(",")})`,
    kinds: [kind],
  }));
}

async function read(
  { query, realm, signal }: Reader,
  request: Parameters<typeof query.listStatus>[0],
): Promise<readonly ObjectChild[]> {
  const { rows } = await query.listStatus({ ...request, realm, omitRealms: true }, { signal });
  return rows
    .map(statusItemOf)
    .filter((item) => item !== undefined)
    .map((item) => ({
      id: item.id,
      item,
      status: item.soft ? statusNameOf(item.row.lastHardStatus) : item.statusName,
    }));
}
