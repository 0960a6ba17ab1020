import { never } from "@realmwatch/shared/model/never";
import { ObjectLink, ObjectName } from "../../components/object/object-link.tsx";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { neededOf, type Rule, type RuleNode } from "./rule.ts";
import type { ObjectChild } from "./use-rule-children.ts";

/** Largest number of objects of a selector that are listed without a problem. */
const listedObjects = 12;

/** Rule of a process as a tree, with the result of each part and marks at those that a problem comes from. */
export function RuleTree({ node }: { node: RuleNode<ObjectChild> }) {
  return (
    <ul className="rule-tree">
      <RuleLine node={node} />
    </ul>
  );
}

function RuleLine({ node }: { node: RuleNode<ObjectChild> }) {
  const { rule, status, parts, children, decides } = node;
  if (rule.kind === "ref") {
    const [only] = children;
    if (only !== undefined) return <ChildLine {...only} />;
    return (
      <li>
        <RuleText status={status} decides={false} text={`${rule.ref}: not known`} />
      </li>
    );
  }
  const listed = children.filter(({ decides }, at) => decides || at < listedObjects);
  return (
    <li>
      <RuleText status={status} decides={decides} text={textOf(rule)} />
      <ul>
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a rule have no other identity than their places
          <RuleLine key={at} node={part} />
        ))}
        {listed.map((child) => (
          <ChildLine key={child.child.id} {...child} />
        ))}
        {listed.length < children.length && <li className="muted">and {children.length - listed.length} more</li>}
        {rule.kind === "select" && children.length === 0 && <li className="muted">no object</li>}
      </ul>
    </li>
  );
}

function RuleText({ status, decides, text }: { status: ObjectChild["status"]; decides: boolean; text: string }) {
  return (
    <span className={`rule-line ${decides ? "is-deciding" : ""}`} data-status={status}>
      <StatusIcon status={status} />
      <span className="visually-hidden">{status}: </span>
      <span className="rule-text">{text}</span>
    </span>
  );
}

function ChildLine({ child: { item, status }, decides }: { child: ObjectChild; decides: boolean }) {
  return (
    <li>
      <span className={`rule-line ${decides ? "is-deciding" : ""}`} data-status={status}>
        <StatusIcon status={status} hollow={item.handled} />
        <span className="visually-hidden">{status}: </span>
        <ObjectLink realm={item.realm} object={item.key}>
          <ObjectName object={item.key} />
        </ObjectLink>
        {decides && <span className="deciding-mark">decides</span>}
        {decides && <span className="rule-output">{item.row.output}</span>}
      </span>
    </li>
  );
}

function textOf(rule: Rule): string {
  switch (rule.kind) {
    case "all":
      return "All of";
    case "any":
      return "Any of";
    case "degraded":
      return "All of, critical counts as warning";
    case "not":
      return "Not";
    case "at_least":
      return rule.percent === undefined
        ? `At least ${rule.count} of ${rule.of.length}`
        : `At least ${rule.percent} % (${neededOf(rule, rule.of.length)}) of ${rule.of.length}`;
    case "select":
      return `All with ${rule.selector}`;
    case "ref":
      return rule.ref;
    default:
      return never(rule);
  }
}
