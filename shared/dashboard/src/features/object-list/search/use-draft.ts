import { useEffect, useState } from "react";
import { useAppContext } from "../../../api/context/app-context.tsx";
import { isIncomplete } from "./search-text.ts";

/** Pause in typing after which a text is searched for, ms, and the longer one after a selector that is not complete. */
const [pauseMs, incompletePauseMs] = [120, 900] as const;

export type Draft = {
  readonly text: string;
  readonly type: (text: string) => void;
  /** Takes the text over without a pause. */
  readonly commit: (text?: string) => void;
};

/** Text of a field that is taken over when typing pauses. A change of `value` from outside replaces the text. */
export function useDraft(value: string, onChange: (text: string) => void): Draft {
  const { clock } = useAppContext();
  const [text, setText] = useState(value);
  const [committed, setCommitted] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== committed) {
      setText(value);
      setCommitted(value);
    }
  }
  const commit = (next = text): void => {
    setText(next);
    setCommitted(next);
    if (next !== value) onChange(next);
  };
  useEffect(() => {
    if (text === committed) return;
    return clock.every(isIncomplete(text) ? incompletePauseMs : pauseMs, () => {
      setCommitted(text);
      onChange(text);
    });
  }, [text, committed, clock, onChange]);
  return { text, type: setText, commit };
}
