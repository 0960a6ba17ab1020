import { plural } from "@realmwatch/shared/view/plural";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { serverFailureOf } from "../../../api/server/server-failure.ts";
import { useLabelCatalogue } from "../../../api/status/use-label-catalogue.ts";
import { formatNumber } from "../../../components/time/format-number.ts";
import type { ObjectRows } from "../use-object-rows.ts";
import { parseSearchText } from "./search-text.ts";
import { parseSelectorError } from "./selector-error.ts";
import { type Suggestion, suggestSelector } from "./suggest-selector.ts";
import { useDraft } from "./use-draft.ts";

type SearchFieldProps = { value: string; onChange: (text: string) => void; rows: ObjectRows };

/**
 * Search field with suggestions of label keys and values, the number of matches, and a caret under the character that
 * the server refused. Escape and Enter lead to the list and keep the filter.
 */
export function SearchField({ value, onChange, rows }: SearchFieldProps) {
  const id = useId();
  const [typing, setTyping] = useState(false);
  const [used, setUsed] = useState(false);
  const [active, setActive] = useState(-1);
  const [leaving, setLeaving] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const labels = useLabelCatalogue(used);
  const draft = useDraft(value, onChange);
  const settled = draft.text === value;
  const suggestions = typing ? suggestSelector(draft.text, labels) : [];
  const error = settled ? selectorErrorOf(value, rows) : undefined;
  // The rows of the typed text may still be on their way; the focus follows when they are there.
  useEffect(() => {
    if (!leaving || !settled || (rows.loading && rows.error === null)) return;
    setLeaving(false);
    focusList(field.current, rows.list?.total ?? 0);
  }, [leaving, settled, rows.loading, rows.error, rows.list?.total]);
  const choose = ({ text }: Suggestion): void => {
    draft.type(text);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const chosen = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (suggestions.length === 0) return;
      const by = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + by + suggestions.length + 1) % (suggestions.length + 1));
    } else if (chosen !== undefined && (event.key === "Enter" || event.key === "Tab")) choose(chosen);
    else if (event.key === "Enter" || event.key === "Escape") {
      draft.commit();
      setTyping(false);
      setLeaving(true);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="search-field">
      <label htmlFor={`${id}-q`} className="visually-hidden">
        Search names, realms and output
      </label>
      <input
        ref={field}
        id={`${id}-q`}
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        placeholder="Search names and output, or role=db"
        value={draft.text}
        onFocus={() => setUsed(true)}
        onBlur={() => {
          setTyping(false);
          draft.commit();
        }}
        onChange={(event) => {
          setTyping(true);
          setLeaving(false);
          setActive(-1);
          draft.type(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      {value !== "" && settled && error === undefined && rows.list !== undefined && (
        <output className="match-count">
          {rows.loading ? "…" : `${formatNumber(rows.list.total)} ${plural(rows.list.total, "match", "matches")}`}
        </output>
      )}
      <Suggestions id={id} suggestions={suggestions} active={active} onChoose={choose} />
      {error !== undefined && (
        <SelectorError key={`${value}${error.message}`} id={`${id}-error`} value={value} error={error} />
      )}
    </div>
  );
}

type SuggestionsProps = {
  id: string;
  suggestions: readonly Suggestion[];
  active: number;
  onChoose: (suggestion: Suggestion) => void;
};

function Suggestions({ id, suggestions, active, onChoose }: SuggestionsProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Suggestions"
      className="suggestions"
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys, as in every combobox
        <div
          key={suggestion.text}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          {suggestion.label}
        </div>
      ))}
    </div>
  );
}

type SelectorErrorProps = { id: string; value: string; error: NonNullable<ReturnType<typeof selectorErrorOf>> };

/** Message about a selector, below a caret under the character that the server refused. */
function SelectorError({ id, value, error: { position, message } }: SelectorErrorProps) {
  return (
    <p id={id} className="field-error" role="alert">
      {position !== undefined && (
        <span aria-hidden="true">
          {value}
          {"\n"}
          {" ".repeat(position)}^{"\n"}
        </span>
      )}
      {message}
      {position !== undefined && <span className="visually-hidden">, at character {position + 1}</span>}
    </p>
  );
}

/** Explanation of a selector that the server refused; undefined when it was not refused. */
function selectorErrorOf(value: string, { error, selector }: ObjectRows) {
  const text = parseSearchText(value);
  if (error === null || !("selector" in text)) return undefined;
  const { code, message } = serverFailureOf(error);
  if (code !== "invalid_argument") return undefined;
  const { position, ...rest } = parseSelectorError(message, selector, text.selector);
  // The field may have text before the selector: spaces, or `has:`.
  const lead = Math.max(0, value.indexOf(text.selector));
  return { ...rest, position: position === undefined ? undefined : position + lead };
}

/** Number of frames that the first row may take to be rendered after it is loaded. */
const maxFrames = 30;

/** Moves the focus to the first row when it is rendered; without rows it leaves the field. */
function focusList(field: HTMLElement | null, rows: number, frames = maxFrames): void {
  const link = document.querySelector<HTMLElement>(".data-table tbody .object-link");
  if (link !== null) link.focus();
  else if (rows === 0 || frames === 0) field?.blur();
  else requestAnimationFrame(() => focusList(field, rows, frames - 1));
}
