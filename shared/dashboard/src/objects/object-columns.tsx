import type { Column } from "../table/data-table.tsx";
import { columnsOf } from "./item-columns.tsx";

export const objectColumns = (aggregator: boolean): readonly Column[] =>
  columnsOf(["state", "object", "output", "realm", "since", "checked", "marks"], aggregator);
