import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { RowSource } from "../../components/table/row-source.ts";

/** Rows that had the cursor, by the key of the history entry, so that going back returns to them. */
const rowsByEntry = new Map<string, string>();

/** Moves the cursor to the row that had it when the page was left, after the browser has gone back to it. */
export function useReturnRow(rows: RowSource, cursor: string | undefined, setCursor: (id: string) => void): void {
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? "" });
  const wanted = useRef(rowsByEntry.get(entry));
  useEffect(() => {
    const id = wanted.current;
    if (id === undefined || rows.indexOf(id) < 0) return;
    wanted.current = undefined;
    setCursor(id);
  }, [rows, setCursor]);
  useEffect(() => {
    if (cursor !== undefined) rowsByEntry.set(entry, cursor);
    else if (wanted.current === undefined) rowsByEntry.delete(entry);
  }, [entry, cursor]);
}
