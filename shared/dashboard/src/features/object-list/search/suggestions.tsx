import { type ChangeEvent, type ComponentProps, type KeyboardEvent, useState } from "react";
import type { useLabelCatalogue } from "../../../api/status/use-label-catalogue.ts";
import { type Suggestion, suggestSelector } from "./suggest-selector.ts";
import type { Draft } from "./use-draft.ts";

/** Suggestions for the text that is typed, the index of the active one, -1 for none, and the handlers of the field. */
export function useSuggestions(
  draft: Draft,
  labels: ReturnType<typeof useLabelCatalogue>,
  setLeaving: (leaving: boolean) => void,
) {
  const [typing, setTyping] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = typing ? suggestSelector(draft.text, labels) : [];
  const choose = ({ text }: Suggestion): void => {
    draft.type(text);
    setActive(-1);
  };
  const leave = (): void => {
    setTyping(false);
    draft.commit();
  };
  const onChange = (event: ChangeEvent<HTMLInputElement>): void => {
    setTyping(true);
    setLeaving(false);
    setActive(-1);
    draft.type(event.target.value);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const chosen = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (suggestions.length === 0) return;
      const by = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + by + suggestions.length + 1) % (suggestions.length + 1));
    } else if (chosen !== undefined && (event.key === "Enter" || event.key === "Tab")) choose(chosen);
    else if (event.key === "Enter" || event.key === "Escape") {
      leave();
      setLeaving(true);
    } else return;
    event.preventDefault();
  };
  return { suggestions, active, choose, handlers: { onBlur: leave, onChange, onKeyDown } };
}

type SuggestFieldProps = ComponentProps<"input"> & {
  id: string;
  /** Suggestions of `useSuggestions`. */
  from: ReturnType<typeof useSuggestions>;
};

/** Search field with the list of its suggestions below it; `children` stand between the two. */
export function SuggestField({ id, from, children, ...input }: SuggestFieldProps) {
  const { suggestions, active, choose, handlers } = from;
  return (
    <>
      <input
        {...input}
        {...handlers}
        id={`${id}-q`}
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
      />
      {children}
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
            onClick={() => choose(suggestion)}
          >
            {suggestion.label}
          </div>
        ))}
      </div>
    </>
  );
}
