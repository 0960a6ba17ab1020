import type { ReactNode } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Column of a table of monitored objects. */
export type TableColumn = {
  readonly id: string;
  readonly header: string;
  readonly sortable?: boolean;
  /** True for numbers and ages, which are aligned to the right. */
  readonly number?: boolean;
  /** True for a row without content in the column, which leaves its room to the column before it. */
  readonly isEmpty?: (item: StatusItem) => boolean;
  readonly cell: (item: StatusItem) => ReactNode;
};

/** Classes of the header and the cells of a column. */
export const columnClass = ({ id, number }: TableColumn): string => `col-${id}${number === true ? " is-number" : ""}`;
