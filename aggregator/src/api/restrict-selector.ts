import { never } from "@realmwatch/shared/model/never";
import type { Labels } from "@realmwatch/shared/model/row";
import { matchesSelector, type Requirement, type Selector } from "@realmwatch/shared/text/selector/selector";

type SelectedRealm = {
  readonly name: string;
  /** Labels that the realms document gives to all objects of the realm; an object's own label wins. */
  readonly labels: Labels;
  /** Values outside the requirement's that objects of the realm have for `overridableRequirements`, by key. */
  readonly otherValues: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Values of which a label must have one. */
type AllowedValues = { readonly key: string; readonly values: ReadonlySet<string> };

/**
 * Requirements that the realm's own labels meet, and that an object's own label may break: one a key, with the values
 * that all requirements of the selector on this key allow.
 */
export function overridableRequirements(selector: Selector, labels: Labels): readonly AllowedValues[] {
  const allowed = new Map<string, ReadonlySet<string>>();
  for (const one of selector.requirements) {
    const value = labelOf(labels, one.key);
    if (one.kind !== "in" || value === undefined || !one.values.has(value)) continue;
    const before = allowed.get(one.key) ?? one.values;
    allowed.set(one.key, new Set([...one.values].filter((each) => before.has(each))));
  }
  return [...allowed].map(([key, values]) => ({ key, values }));
}

const labelOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

/**
 * Returns a selector that selects the same objects in the realm itself, where neither its labels in the realms document
 * nor other realms are known. Undefined when it can select none of them.
 */
export function selectorForRealm(selector: Selector, realm: SelectedRealm): Selector | undefined {
  const requirements: Requirement[] = [];
  for (const requirement of selector.requirements) {
    const restricted = requirement.key === "@realm" ? ownRealm(requirement, realm) : inherited(requirement, realm);
    if (restricted === "none") return undefined;
    requirements.push(...restricted);
  }
  // A selector is never empty.
  if (requirements.length > 0) return { requirements };
  return { requirements: [{ kind: "in", key: "@realm", values: new Set([realm.name]) }] };
}

type Restricted = readonly Requirement[] | "none";

function ownRealm(requirement: Requirement, { name }: SelectedRealm): Restricted {
  const subject = {
    key: { kind: "host", name: "" },
    labels: {},
    zone: "",
    checkType: "",
    status: "ok",
    cause: "",
    parents: [],
    dependsOn: [],
  } as const;
  return matchesSelector({ requirements: [requirement] }, { ...subject, realm: name }) ? [] : "none";
}

/** Requirement on a label that objects without an own value inherit from the realm. */
function inherited(requirement: Requirement, { labels, otherValues }: SelectedRealm): Restricted {
  const { key } = requirement;
  const value = labelOf(labels, key);
  if (value === undefined) return [requirement];
  switch (requirement.kind) {
    case "exists":
      return [];
    case "absent":
      return "none";
    case "in": {
      if (!requirement.values.has(value)) return [requirement];
      const others = otherValues.get(key) ?? new Set();
      return others.size === 0 ? [] : [{ kind: "notin", key, values: others }];
    }
    case "notin":
      return requirement.values.has(value) ? [{ kind: "exists", key }, requirement] : [requirement];
    default:
      return never(requirement);
  }
}
