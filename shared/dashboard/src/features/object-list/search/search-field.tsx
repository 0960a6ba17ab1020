import { plural } from "@realmwatch/shared/view/plural";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { serverFailureOf } from "../../../api/server/server-failure.ts";
import { useLabelCatalogue } from "../../../api/status/use-label-catalogue.ts";
import { formatNumber } from "../../../components/time/format-number.ts";
import type { ObjectRows } from "../use-object-rows.ts";
import { parseSearchText } from "./search-text.ts";
import { parseSelectorError } from "./selector-error.ts";
import { SuggestField, useSuggestions } from "./suggestions.tsx";
import { useDraft } from "./use-draft.ts";

type SearchFieldProps = { value: string; onChange: (text: string) => void; rows: ObjectRows };

/**
 * Search field with suggestions of label keys and values, the number of matches, and a caret under the character that
 * the server refused. Escape and Enter lead to the list and keep the filter.
 */
export function SearchField({ value, onChange, rows }: SearchFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [used, setUsed] = useState(false);
  const labels = useLabelCatalogue(used);
  const draft = useDraft(value, onChange);
  const settled = draft.text === value;
  const setLeaving = useLeaveToList(field, rows, settled);
  const suggesting = useSuggestions(draft, labels, setLeaving);
  const error = settled ? selectorErrorOf(value, rows) : undefined;
  // Suggestions are in the same place: the message waits until they are gone.
  const isErrorShown = error !== undefined && suggesting.suggestions.length === 0;
  return (
    <div className="search-field">
      <label htmlFor={`${id}-q`} className="visually-hidden">
        Search names, realms and output
      </label>
      <SuggestField
        ref={field}
        id={id}
        from={suggesting}
        aria-invalid={error !== undefined}
        aria-describedby={isErrorShown ? `${id}-error` : undefined}
        placeholder="Search names and output, or role=db"
        value={draft.text}
        onFocus={() => setUsed(true)}
      >
        {value !== "" && settled && error === undefined && rows.list !== undefined && (
          <output className="match-count">
            {rows.loading ? "…" : `${formatNumber(rows.list.total)} ${plural(rows.list.total, "match")}`}
          </output>
        )}
      </SuggestField>
      {isErrorShown && (
        <SelectorError key={`${value}${error.message}`} id={`${id}-error`} value={value} error={error} />
      )}
    </div>
  );
}

/** Moves the focus to the list when the returned function was called with true and the rows of the text are there. */
function useLeaveToList(field: RefObject<HTMLInputElement | null>, rows: ObjectRows, settled: boolean) {
  const [leaving, setLeaving] = useState(false);
  // The rows of the typed text may still be on their way; the focus follows when they are there.
  useEffect(() => {
    if (!leaving || !settled || (rows.loading && rows.error === null)) return;
    setLeaving(false);
    focusList(field.current, rows.list?.total ?? 0);
  }, [leaving, settled, rows.loading, rows.error, rows.list?.total, field]);
  return setLeaving;
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
