import { formatObjectName } from "../status/object-key.ts";
import type { StatusItem } from "../status/status-item.ts";

/** Name of a single object, else the number of accepted objects: `12 of 14 objects`. */
export const objectCountText = (items: readonly StatusItem[], accepted: number): string =>
  items.length === 1 && items[0] !== undefined
    ? formatObjectName(items[0].key)
    : `${accepted} of ${items.length} objects`;
