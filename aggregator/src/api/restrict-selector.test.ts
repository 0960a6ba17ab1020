import assert from "node:assert/strict";
import { test } from "node:test";
import type { Labels } from "@realmwatch/shared/model/row";
import {
  formatSelector,
  matchesSelector,
  parseSelector,
  type Selector,
} from "@realmwatch/shared/text/selector/selector";
import fc from "fast-check";
import { overridableRequirements, selectorForRealm } from "./restrict-selector.ts";

function parsed(text: string): Selector {
  const selector = parseSelector(text);
  return selector.ok ? selector.value : assert.fail(text);
}

const subject = (labels: Labels) =>
  ({
    key: { kind: "host", name: "web1" },
    labels,
    zone: "",
    realm: "fra",
    checkType: "",
    status: "ok",
    cause: "",
    parents: [],
    dependsOn: [],
  }) as const;

/** Selector for realm `fra`, whose objects have the own labels `objects`. */
function restricted(text: string, labels: Labels, objects: readonly Labels[]): Selector | undefined {
  const selector = parsed(text);
  const otherValues = new Map(
    overridableRequirements(selector, labels).map(({ key, values }) => [
      key,
      new Set(objects.flatMap((own) => own[key] ?? []).filter((value) => !values.has(value))),
    ]),
  );
  return selectorForRealm(selector, { name: "fra", labels, otherValues });
}

const rows: [selector: string, objects: Labels[], expected: string | undefined][] = [
  ["env=prod", [], "env=prod"],
  ["env=prod,@realm=fra", [], "env=prod"],
  ["@realm in (ams,fra)", [], "@realm=fra"],
  ["@realm!=fra", [], undefined],
  ["site=eu,env=prod", [], "env=prod"],
  ["site=eu", [], "@realm=fra"],
  ["site=eu", [{ site: "us" }], "site!=us"],
  ["site=us", [{ site: "us" }], "site=us"],
  ["site=eu,site in (eu,us)", [{ site: "us" }], "site!=us,site!=us"],
  ["site!=eu", [], "site,site!=eu"],
  ["site!=us", [], "site!=us"],
  ["site", [], "@realm=fra"],
  ["!site", [], undefined],
];
for (const [selector, objects, expected] of rows)
  test(`[FD77] ${selector} in a realm with site=eu and ${JSON.stringify(objects)} is ${expected}`, () => {
    const own = restricted(selector, { site: "eu" }, objects);
    assert.equal(own && formatSelector(own), expected);
  });

test("[FD77] the realm's selector selects the objects that the selector selects with the realm's labels", () => {
  const value = fc.constantFrom("a", "b", "c");
  const labels = fc.dictionary(fc.constantFrom("x", "y"), value, { maxKeys: 2 });
  const list = fc.uniqueArray(value, { minLength: 1 }).map((values) => `(${values.join(",")})`);
  const requirement = fc.oneof(
    fc.constantFrom("x", "y", "!x", "!y"),
    fc.tuple(fc.constantFrom("x", "y"), fc.constantFrom("in", "notin"), list).map((words) => words.join(" ")),
  );
  fc.assert(
    fc.property(
      fc.array(requirement, { minLength: 1, maxLength: 3 }).map((all) => all.join(",")),
      labels,
      fc.array(labels),
      (text, realmLabels, objects) => {
        const own = restricted(text, realmLabels, objects);
        for (const object of objects)
          assert.equal(
            own !== undefined && matchesSelector(own, subject(object)),
            matchesSelector(parsed(text), subject({ ...realmLabels, ...object })),
            `${text} became ${own && formatSelector(own)} for ${JSON.stringify(object)}`,
          );
      },
    ),
  );
});
