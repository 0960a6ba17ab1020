import { refOf } from "@realmwatch/shared/model/object-key";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { selectorSubjectOf } from "@realmwatch/shared/read-model/rows/row-filter";
import { matchesSelector } from "@realmwatch/shared/text/selector/selector";
import type { FindMatchingRefs } from "../journal/journal-contract.ts";

/** Finds the objects of the read model of an agent that a selector matches now. */
export const refsMatching =
  (model: () => Pick<MemoryReadModel, "rows">, ownRealm: string): FindMatchingRefs =>
  (selector) =>
    [...model().rows("")].flatMap((row) =>
      matchesSelector(selector, selectorSubjectOf(row, { ownRealm })) ? [refOf(row.about.key)] : [],
    );
