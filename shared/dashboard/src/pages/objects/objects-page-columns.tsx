import type { TableColumn } from "../../components/table/table-column.ts";
import { columnsOf } from "../../features/object-list/object-columns.tsx";

/** Columns of the page of all objects. */
export const objectColumns = (aggregator: boolean): readonly TableColumn[] =>
  columnsOf(["state", "object", "output", "realm", "since", "checked", "marks"], aggregator);
