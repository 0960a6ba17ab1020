import { severityOf } from "@realmwatch/shared/model/status";
import { useMemo } from "react";
import { realmSearch } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { leavesOf, parseRule } from "../processes/rule.ts";
import { useRuleChildren } from "../processes/use-rule-children.ts";
import { boundedEntries, type MapEntry } from "./map-entries.ts";

/** Members of a process, which the tree of its rule reads too; none for any other object, undefined until they are read. */
export function useMembers(item: StatusItem, rule: string): readonly MapEntry[] | undefined {
  const process = useMemo(() => (rule === "" ? undefined : parseRule(rule)), [rule]);
  const children = useRuleChildren(item, process);
  return useMemo(() => {
    if (process === undefined) return [];
    if (children === undefined) return undefined;
    const { refs, selectors } = leavesOf(process.rule);
    const found = [...refs.map(children.byRef), ...selectors.flatMap((each) => children.bySelector(each) ?? [])];
    const members = [
      ...new Map(found.flatMap((child) => (child === undefined ? [] : [[child.id, child.item]]))).values(),
    ];
    const worst = members.sort((a, b) => severityOf[b.statusName] - severityOf[a.statusName]);
    const byStatus = Map.groupBy(worst, ({ statusName }) => statusName);
    const counts = new Map([...byStatus].map(([status, those]) => [status, those.length]));
    const [only = "", ...others] = [...selectors, ...refs];
    const search = others.length === 0 && selectors.length === 1 ? { q: only, ...realmSearch(item.realm) } : undefined;
    return boundedEntries(worst, { counts, noun: "member", search });
  }, [item, process, children]);
}
