import { columnsOf } from "../objects/item-columns.tsx";
import type { Column } from "../table/data-table.tsx";

/** How long it has lasted comes early: it decides what is looked at next. */
export const problemColumns = (aggregator: boolean): readonly Column[] =>
  columnsOf(["state", "since", "object", "output", "realm", "attempt", "marks"], aggregator);
