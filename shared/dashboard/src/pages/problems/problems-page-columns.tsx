import type { TableColumn } from "../../components/table/table-column.ts";
import { columnsOf } from "../../features/object-list/object-columns.tsx";

/** How long it has lasted comes early: it decides what is looked at next. */
export const problemColumns = (aggregator: boolean): readonly TableColumn[] =>
  columnsOf(["state", "since", "object", "output", "realm", "attempt", "marks"], aggregator);
