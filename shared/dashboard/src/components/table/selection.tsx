import { useState } from "react";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { RowSource } from "./row-source.ts";

/** Rows that bulk actions apply to, by id, so that rows may move, change or be unloaded. */
export type Selection = {
  readonly items: ReadonlyMap<string, StatusItem>;
  has(id: string): boolean;
  set(items: readonly StatusItem[]): void;
  toggle(item: StatusItem): void;
  /** Selects all loaded rows from the one toggled last to this one. */
  extend(item: StatusItem, rows: RowSource): void;
};

export function useSelection(): Selection {
  const [items, setItems] = useState<ReadonlyMap<string, StatusItem>>(new Map());
  const [last, setLast] = useState<string>();
  const add = (added: readonly StatusItem[]): void =>
    setItems(new Map([...items, ...added.map((item) => [item.id, item] as const)]));
  return {
    items,
    has: (id) => items.has(id),
    set: (chosen) => setItems(new Map(chosen.map((item) => [item.id, item]))),
    toggle(item) {
      setLast(item.id);
      if (items.has(item.id)) setItems(new Map([...items].filter(([id]) => id !== item.id)));
      else add([item]);
    },
    extend(item, rows) {
      const [from, to] = [rows.indexOf(last ?? ""), rows.indexOf(item.id)];
      setLast(item.id);
      if (from < 0 || to < 0) return add([item]);
      const [first, final] = [Math.min(from, to), Math.max(from, to)];
      add(Array.from({ length: final - first + 1 }, (_, at) => rows.at(first + at)).filter((row) => row !== undefined));
    },
  };
}

type BoxProps = { rows: RowSource; selection: Selection };

export function SelectBox({ item, rows, selection }: BoxProps & { item: StatusItem }) {
  return (
    <label className="select-box">
      <input
        type="checkbox"
        checked={selection.has(item.id)}
        onChange={(event) => {
          const shift = event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey;
          if (shift) selection.extend(item, rows);
          else selection.toggle(item);
        }}
      />
      <span className="visually-hidden">Select {formatObjectName(item.key)}</span>
    </label>
  );
}

type SelectRowsBoxProps = {
  /** Number of rows, and of those that are selected. */
  count: number;
  selected: number;
  label: string;
  onToggle: () => void;
};

/** Box that stands for several rows: checked when all of them are selected, indeterminate when some are. */
export function SelectRowsBox({ count, selected, label, onToggle }: SelectRowsBoxProps) {
  const all = count > 0 && selected >= count;
  return (
    <label className="select-box">
      <input
        type="checkbox"
        checked={all}
        ref={(box) => {
          if (box !== null) box.indeterminate = selected > 0 && !all;
        }}
        onChange={onToggle}
      />
      <span className="visually-hidden">{label}</span>
    </label>
  );
}

export type SelectAllBoxProps = {
  rows: RowSource;
  selection: Selection;
  /** Selects all rows that match, also those that are not loaded. */
  onSelectAll: () => void;
};

export function SelectAllBox({ rows, selection, onSelectAll }: SelectAllBoxProps) {
  const selected = selection.items.size;
  const toggle = (): void => (rows.count > 0 && selected >= rows.count ? selection.set([]) : onSelectAll());
  return (
    <SelectRowsBox {...{ count: rows.count, selected }} label={`Select all ${rows.count} rows`} onToggle={toggle} />
  );
}
