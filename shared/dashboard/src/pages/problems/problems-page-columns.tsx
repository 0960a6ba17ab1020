import type { TableColumn } from "../../components/table/table-column.ts";
import { columnsOf } from "../../features/object-list/object-columns.tsx";

/** Columns of the problems page. The duration is among the first, because it decides the order of work. */
export const problemColumns = (aggregator: boolean): readonly TableColumn[] =>
  columnsOf(["state", "since", "object", "output", "realm", "attempt", "marks"], aggregator);
