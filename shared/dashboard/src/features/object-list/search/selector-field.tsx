import { useEffect, useId, useState } from "react";
import { useLabelCatalogue } from "../../../api/status/use-label-catalogue.ts";
import { Suggestions, useSuggestions } from "./suggestions.tsx";
import "../list.css";

type SelectorFieldProps = {
  label: string;
  placeholder: string;
  value: string;
  onApply: (selector: string) => void;
};

const ignore = (): void => undefined;

/** Field for a selector with suggestions. It is applied by Enter, or when it is left, and says so while it is not. */
export function SelectorField({ label, placeholder, value, onApply }: SelectorFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [used, setUsed] = useState(false);
  useEffect(() => setText(value), [value]);
  const commit = (entered = text): void => {
    if (entered.trim() !== value) onApply(entered.trim());
  };
  const { suggestions, active, choose, handlers } = useSuggestions(
    { text, type: setText, commit },
    useLabelCatalogue(used),
    ignore,
  );
  return (
    <div className="search-field">
      <input
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        aria-describedby={`${id}-hint`}
        placeholder={placeholder}
        value={text}
        onFocus={() => setUsed(true)}
        {...handlers}
      />
      <span id={`${id}-hint`} className={text.trim() === value ? "visually-hidden" : "match-count"}>
        Enter applies
      </span>
      <Suggestions id={id} suggestions={suggestions} active={active} onChoose={choose} />
    </div>
  );
}
