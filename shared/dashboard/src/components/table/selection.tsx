import { useState } from "react";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Rows that bulk actions apply to, by id, so that rows may move or change. */
export type Selection = {
  readonly ids: ReadonlySet<string>;
  set(ids: ReadonlySet<string>): void;
  toggle(id: string): void;
  /** Selects all rows from the one toggled last to this one. */
  extend(id: string, order: readonly StatusItem[]): void;
};

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  return {
    ids,
    set: setIds,
    toggle(id) {
      setLast(id);
      setIds(new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
    },
    extend(id, order) {
      const [from, to] = [order.findIndex((item) => item.id === last), order.findIndex((item) => item.id === id)];
      const range = from < 0 ? [id] : order.slice(Math.min(from, to), Math.max(from, to) + 1).map((item) => item.id);
      setLast(id);
      setIds(new Set([...ids, ...range]));
    },
  };
}

type BoxProps = { items: readonly StatusItem[]; selection: Selection };

export function SelectBox({ item, items, selection }: BoxProps & { item: StatusItem }) {
  return (
    <label className="select-box">
      <input
        type="checkbox"
        checked={selection.ids.has(item.id)}
        onChange={(event) => {
          const shift = event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey;
          if (shift) selection.extend(item.id, items);
          else selection.toggle(item.id);
        }}
      />
      <span className="visually-hidden">Select {formatObjectName(item.key)}</span>
    </label>
  );
}

export function SelectAllBox({ items, selection }: BoxProps) {
  const selected = items.filter(({ id }) => selection.ids.has(id)).length;
  const all = items.length > 0 && selected === items.length;
  return (
    <label className="select-box">
      <input
        type="checkbox"
        checked={all}
        ref={(box) => {
          if (box !== null) box.indeterminate = selected > 0 && !all;
        }}
        onChange={() => selection.set(new Set(all ? [] : items.map(({ id }) => id)))}
      />
      <span className="visually-hidden">Select all {items.length} rows</span>
    </label>
  );
}
