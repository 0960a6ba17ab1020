import type { ReactNode } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Column of a table of monitored objects. */
export type TableColumn = {
  readonly id: string;
  readonly header: string;
  readonly sortable?: boolean;
  readonly cell: (item: StatusItem) => ReactNode;
};
