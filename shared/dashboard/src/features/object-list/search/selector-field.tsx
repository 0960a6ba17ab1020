import { useEffect, useId, useState } from "react";
import { useLabelCatalogue } from "../../../api/status/use-label-catalogue.ts";
import { SuggestField, useSuggestions } from "./suggestions.tsx";
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
  const suggesting = useSuggestions({ text, type: setText, commit }, useLabelCatalogue(used), ignore);
  return (
    <div className="search-field">
      <SuggestField
        id={id}
        from={suggesting}
        aria-label={label}
        aria-describedby={`${id}-hint`}
        placeholder={placeholder}
        value={text}
        onFocus={() => setUsed(true)}
      >
        <span id={`${id}-hint`} className={text.trim() === value ? "visually-hidden" : "match-count"}>
          Enter applies
        </span>
      </SuggestField>
    </div>
  );
}
