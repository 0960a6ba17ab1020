import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemainingRecipients } from "../model/catalog.ts";
import { remainingSentences } from "./remaining-recipients.ts";

const none: RemainingRecipients = { uncovered: [], uncoveredPolicies: 0, uncoveredObjects: 0, others: [] };
const dba = { policy: "dba", level: 1, objects: 9 };
const web = { policy: "web", level: 2, objects: 3 };

const rows: readonly [name: string, remaining: Partial<RemainingRecipients>, sentences: readonly string[]][] = [
  ["a contact of no object", {}, ["No object has a policy with pager"]],
  ["others are left", { others: ["ann", "bea"] }, ["Still notified: ann, bea"]],
  [
    "a policy is lost, of another one a level",
    { uncovered: [dba, web], uncoveredPolicies: 2, uncoveredObjects: 12, others: ["ann"] },
    [
      "pager is the only contact left of 2 policies (12 objects): nobody will be notified",
      "Policies: dba (9 objects), web from level 2 on (3 objects)",
      "Still notified: ann",
    ],
  ],
  [
    "more policies than are named",
    { uncovered: [dba], uncoveredPolicies: 2, uncoveredObjects: 10 },
    [
      "pager is the only contact left of 2 policies (10 objects): nobody will be notified",
      "Policies: dba (9 objects), …",
    ],
  ],
];
for (const [name, remaining, sentences] of rows)
  test(`[TG6] who is left in words: ${name}`, () =>
    assert.deepEqual(remainingSentences("pager", { ...none, ...remaining }), sentences));
