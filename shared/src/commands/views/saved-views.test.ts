import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRefusal } from "../../model/refusal.ts";
import { type KnownViews, parseView, parseViewDeletion } from "./saved-views.ts";

const many = Array.from({ length: 500 }, (_, at) => ({ name: `view ${at}` }));
const known = (saved: KnownViews["saved"] = [{ name: "mine" }]): KnownViews => ({
  configured: new Set(["shop"]),
  saved,
});
const view = { name: "web", selector: "role=web", description: "" };
const of = (fields: Partial<typeof view>): typeof view => ({ ...view, ...fields });

const rows: readonly (readonly [rule: string, view: typeof view, known: KnownViews, refusal: RegExp | undefined])[] = [
  ["[VW1] a view has a name and a selector", view, known(), undefined],
  ["[VW1] a blank name", of({ name: " " }), known(), /^name: is required$/],
  ["[VW1] a name of 256 characters", of({ name: "n".repeat(256) }), known(), undefined],
  ["[VW1] a name of 257 characters", of({ name: "n".repeat(257) }), known(), /^name: is longer than 256 characters$/],
  ["[VW1] a name with a control character", of({ name: "a\nb" }), known(), /^name: has a control character$/],
  ["[VW1] a blank selector", of({ selector: "" }), known(), /^selector: /],
  ["[VW1] a selector that does not parse", of({ selector: "a=" }), known(), /^selector: /],
  ["[VW1] a long description", of({ description: "d".repeat(1025) }), known(), /^description: is longer than 1024/],
  [
    "[VW2] the name of a configured view",
    of({ name: "shop" }),
    known(),
    /^view "shop" is declared in the configuration$/,
  ],
  ["[VW1] a saved view is replaced", of({ name: "mine" }), known(), undefined],
  ["[VW1] one view too many", view, known(many), /^500 views are saved already/],
  ["[VW1] one of the most views is replaced", of({ name: "view 7" }), known(many), undefined],
];
for (const [rule, request, views, refusal] of rows)
  test(rule, () => {
    const parsed = parseView(request, views);
    if (refusal === undefined) assert.deepEqual(parsed, { ok: true, value: request });
    else assert.match(parsed.ok ? "accepted" : formatRefusal(parsed.error), refusal);
  });

test("[VW3] a saved view is deleted, a configured one and one that does not exist are not", () => {
  const outcomes = ["mine", "shop", "other", ""].map((name) => {
    const parsed = parseViewDeletion(name, known());
    return parsed.ok ? "deleted" : parsed.error.kind;
  });
  assert.deepEqual(outcomes, ["deleted", "unconfigured", "missing", "malformed"]);
});

test("[VW3] a saved view that a configured one hides by now can be deleted", () => {
  assert.ok(parseViewDeletion("shop", known([{ name: "shop" }])).ok);
});
