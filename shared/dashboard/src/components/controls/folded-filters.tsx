import { type ReactNode, useState } from "react";
import { later } from "../layout/later.tsx";
import { useNarrow } from "../layout/use-narrow.ts";
import { ActionButton } from "./action-button.tsx";

const Sheet = later(async () => (await import("./sheet.tsx")).Sheet);

type FoldedFiltersProps = {
  /** Values of the filters; the button has the number of those that are set. */
  values: readonly (string | undefined)[];
  /** Text of the button that closes the sheet. */
  done: string;
  children: ReactNode;
};

/** Filters of a page; on a narrow screen they are in a sheet that a button opens. */
export function FoldedFilters({ values, done, children }: FoldedFiltersProps) {
  const narrow = useNarrow();
  const [open, setOpen] = useState(false);
  if (!narrow) return children;
  const set = values.filter(Boolean).length;
  return (
    <>
      <ActionButton aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters{set > 0 && ` (${set})`}
      </ActionButton>
      {open && (
        <Sheet title="Filters" onClose={() => setOpen(false)}>
          {children}
          <ActionButton tone="primary" onClick={() => setOpen(false)}>
            {done}
          </ActionButton>
        </Sheet>
      )}
    </>
  );
}
