import { never } from "@realmwatch/shared/model/never";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import type { ObjectChild } from "./object-child.ts";
import { neededOf, type Rule, type RuleNode } from "./rule.ts";

/** Largest number of objects of a selector that are listed without a problem. */
const listedObjects = 12;

/** Rule of a process as a tree, with the result of each part and marks at those that a problem comes from. */
export function RuleTree(props: RuleTreeProps) {
  return (
    <ul className="rule-tree">
      <RuleLine {...props} />
    </ul>
  );
}

type RuleTreeProps = {
  node: RuleNode<ObjectChild>;
  /** True when the realm is not current: nothing is green then. */
  lastKnown: boolean;
};

function RuleLine({ node, lastKnown }: RuleTreeProps) {
  const { rule, status, parts, children, decides } = node;
  if (rule.kind === "ref") {
    const [only] = children;
    if (only !== undefined) return <ChildLine {...only} lastKnown={lastKnown} />;
    return (
      <li>
        <RuleText status={status} decides={false} lastKnown={lastKnown} text={`${rule.ref}: not known`} />
      </li>
    );
  }
  const listed = children.filter(({ decides }, at) => decides || at < listedObjects);
  return (
    <li>
      <RuleText status={status} decides={decides} lastKnown={lastKnown} text={textOf(rule)} />
      <ul>
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a rule have no other identity than their places
          <RuleLine key={at} node={part} lastKnown={lastKnown} />
        ))}
        {listed.map((child) => (
          <ChildLine key={child.child.id} {...child} lastKnown={lastKnown} />
        ))}
        {listed.length < children.length && <li className="muted">and {children.length - listed.length} more</li>}
        {rule.kind === "select" && children.length === 0 && <li className="muted">no object</li>}
      </ul>
    </li>
  );
}

const lineClass = (decides: boolean, lastKnown: boolean): string =>
  `wrapped rule-line ${decides ? "is-deciding" : ""} ${lastKnown ? "is-last-known" : ""}`;

type RuleTextProps = { status: ObjectChild["status"]; decides: boolean; lastKnown: boolean; text: string };

function RuleText({ status, decides, lastKnown, text }: RuleTextProps) {
  return (
    <span className={lineClass(decides, lastKnown)} data-status={status}>
      <StatusIcon status={status} hollow={lastKnown} />
      <span className="visually-hidden">{status}: </span>
      <span className="rule-text">{text}</span>
    </span>
  );
}

type ChildLineProps = { child: ObjectChild; decides: boolean; lastKnown: boolean };

function ChildLine({ child: { item, status, ignored }, decides, lastKnown }: ChildLineProps) {
  // An ignored problem is drawn as the problem that it is.
  const shown = ignored === undefined ? status : item.statusName;
  return (
    <li>
      <span className={lineClass(decides, lastKnown)} data-status={shown}>
        <StatusIcon status={shown} hollow={item.handled || lastKnown} />
        <span className="visually-hidden">{shown}: </span>
        <ObjectLink realm={item.realm} object={item.key} />
        {decides && <span className="deciding-mark">decides</span>}
        {ignored !== undefined && <span className="muted">{ignored}, counts as ok</span>}
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
