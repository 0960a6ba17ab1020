import { Dialog } from "@base-ui/react/dialog";
import { type KeyboardEvent, useId, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { filterEntries, type PaletteEntry } from "./palette-entries.ts";
import { type PalettePage, useCommonEntries } from "./use-common-entries.ts";
import { type PaletteObject, useObjectEntries } from "./use-object-entries.ts";
import "../../components/controls/dialogs.css";
import "./palette.css";

const groups = ["Objects", "Pages", "Lists", "Actions"] as const;

/** Command palette: finds objects, pages, lists and actions by a part of their names. */
export function PaletteDialog({ pages }: { pages: readonly PalettePage[] }) {
  const { dialog } = useAppContext();
  const id = useId();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const objects = useObjectEntries(text);
  const common = useCommonEntries(pages);
  // Entries of one group are neighbours, so that the arrow keys follow the screen.
  const found = groups.flatMap((group) =>
    [...objects.entries, ...filterEntries(common, text)].filter((entry) => entry.group === group),
  );
  const close = (): void => dialog.set(undefined);
  const run = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") run(found[active]);
    else if (event.key === "ArrowDown") setActive(Math.min(found.length - 1, active + 1));
    else if (event.key === "ArrowUp") setActive(Math.max(0, active - 1));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => open || close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="visually-hidden">Find an object, a page or an action</Dialog.Title>
          <input
            type="text"
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found[active] === undefined ? undefined : `${id}-${active}`}
            aria-label="Find"
            placeholder="Find an object, a page or an action"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
          />
          <PaletteList id={id} entries={found} active={active} onChoose={run} />
          {found.length === 0 && (
            <p className="palette-empty">{objects.loading ? "Searching…" : "Nothing has this name"}</p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type PaletteListProps = {
  id: string;
  entries: readonly PaletteEntry[];
  active: number;
  onChoose: (entry: PaletteEntry) => void;
};

function PaletteList({ id, entries, active, onChoose }: PaletteListProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Found" className="palette-list">
      {entries.map((entry, at) => (
        <PaletteLine
          key={entry.id}
          id={`${id}-${at}`}
          entry={entry}
          title={entry.group === entries[at - 1]?.group ? undefined : entry.group}
          active={at === active}
          onChoose={() => onChoose(entry)}
        />
      ))}
    </div>
  );
}

type PaletteLineProps = {
  id: string;
  entry: PaletteEntry & Partial<PaletteObject>;
  /** Title of the group that begins with this entry. */
  title: string | undefined;
  active: boolean;
  onChoose: () => void;
};

function PaletteLine({ id, entry, title, active, onChoose }: PaletteLineProps) {
  return (
    <>
      {title !== undefined && (
        <div role="presentation" className="palette-group">
          {title}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys, as in every combobox */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={active}
        className={entry.lastKnown === true ? "palette-line is-last-known" : "palette-line"}
        ref={(line) => {
          if (active) line?.scrollIntoView({ block: "nearest" });
        }}
        data-status={entry.status}
        onClick={onChoose}
      >
        {entry.status !== undefined && <StatusIcon status={entry.status} hollow={entry.lastKnown === true} />}
        <span>{entry.label}</span>
        {entry.status !== undefined && (
          <span className="visually-hidden">
            {entry.status}
            {entry.lastKnown === true && ", last known"}
          </span>
        )}
        {entry.detail !== undefined && <span className="palette-detail">{entry.detail}</span>}
      </div>
    </>
  );
}
