import type { StatusItem } from "../api/status-item.ts";
import { StatusIcon } from "../status/status-icon.tsx";
import { type StatusWord, statusWords } from "../status/status-word.ts";
import { type ListSearch, wantedStatuses } from "./list-search.ts";

type SeverityChipsProps = { items: Iterable<StatusItem>; search: ListSearch; onChange: (part: ListSearch) => void };

/** How many of each status; pressing one leaves only those. */
export function SeverityChips({ items, search, onChange }: SeverityChipsProps) {
  const counts = new Map<StatusWord, number>();
  for (const { word } of items) counts.set(word, (counts.get(word) ?? 0) + 1);
  const wanted = wantedStatuses(search);
  const shown = statusWords.filter((word) => counts.has(word) || wanted.includes(word));
  const toggle = (word: StatusWord): void => {
    const after = wanted.includes(word) ? wanted.filter((other) => other !== word) : [...wanted, word];
    onChange({ status: after.join(",") });
  };
  return (
    <fieldset className="severity-chips">
      <legend className="visually-hidden">Only these states</legend>
      {shown.map((word) => (
        <button
          key={word}
          type="button"
          className="severity-chip"
          data-status={word}
          aria-pressed={wanted.includes(word)}
          onClick={() => toggle(word)}
        >
          <StatusIcon word={word} /> <strong>{counts.get(word) ?? 0}</strong> {word}
        </button>
      ))}
    </fieldset>
  );
}
