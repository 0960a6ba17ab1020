import { useMemo } from "react";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { parseRule, ruleTreeOf } from "./rule.ts";
import { RuleTree } from "./rule-tree.tsx";
import { useRuleChildren } from "./use-rule-children.ts";
import "./processes.css";

/** Rule of a process over its present children; the text of a rule that only a newer server has. */
export function RuleView({ item, text }: { item: StatusItem; text: string }) {
  const process = useMemo(() => parseRule(text), [text]);
  const children = useRuleChildren(item, process);
  const isStale = useIsStale();
  if (process === undefined) return <pre className="process-rule">{text}</pre>;
  if (children === undefined) return <p className="muted">Loading…</p>;
  const node = ruleTreeOf(process.rule, children);
  return (
    <>
      <RuleTree node={node} lastKnown={isStale(item)} />
      {node.status !== item.statusName && (
        <p className="hint">
          The process is {item.statusName}, its children as listed give {node.status}: its result is about to change.
        </p>
      )}
    </>
  );
}
