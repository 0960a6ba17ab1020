import type { StatusItem } from "../../api/status/status-item.ts";
import { CopyButton } from "../../components/controls/copy-button.tsx";

/** Output of the last check, rendered as plain text, because plugin output is not trusted. */
export function OutputPanel({ item: { row } }: { item: StatusItem }) {
  const text = row.longOutput === "" ? row.output : `${row.output}\n${row.longOutput}`;
  return (
    <section className="card panel" aria-labelledby="output-title">
      <header className="panel-head">
        <h2 id="output-title">Output</h2>
        {text !== "" && <CopyButton text={() => text} label="Copy" />}
      </header>
      {row.output === "" ? <p className="muted">No output yet.</p> : <pre className="output">{row.output}</pre>}
      {row.longOutput !== "" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard.
        <section className="long-output" tabIndex={0} aria-label="Long output">
          <pre className="output">{row.longOutput}</pre>
        </section>
      )}
      {isTruncatedOutput(row.output, row.longOutput) && (
        <p className="hint">The check printed more: output above 64 KiB is dropped.</p>
      )}
    </section>
  );
}

/** Mark that the agent adds to the end of an output whose rest it dropped. */
const truncationMark = "…(truncated)";

/** True when the end of a check's output was dropped: its last text ends with the agent's mark. */
const isTruncatedOutput = (output: string, longOutput: string): boolean =>
  (longOutput === "" ? output : longOutput).endsWith(truncationMark);
