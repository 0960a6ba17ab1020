import "./status.css";
import { StatusIcon } from "./status-icon.tsx";
import type { StatusWord } from "./status-word.ts";

/** Colour, shape and word of one status. `handled` fades it; `large` is for page headers. */
export function StatusBadge({
  word,
  handled = false,
  large = false,
}: {
  word: StatusWord;
  handled?: boolean;
  large?: boolean;
}) {
  return (
    <span className={`status-badge ${handled ? "is-handled" : ""} ${large ? "is-large" : ""}`} data-status={word}>
      <StatusIcon word={word} hollow={handled} />
      <span className="status-word">{word}</span>
    </span>
  );
}
