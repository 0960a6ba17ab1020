import { useState } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Output of the last check, rendered as plain text, because plugin output is not trusted. */
export function OutputPanel({ item: { row } }: { item: StatusItem }) {
  const text = row.longOutput === "" ? row.output : `${row.output}\n${row.longOutput}`;
  return (
    <section className="panel" aria-labelledby="output-title">
      <header className="panel-head">
        <h2 id="output-title">Output</h2>
        {text !== "" && <CopyButton text={text} />}
      </header>
      {row.output === "" ? <p className="muted">No output yet.</p> : <pre className="output">{row.output}</pre>}
      {row.longOutput !== "" && <pre className="output is-long">{row.longOutput}</pre>}
    </section>
  );
}

function CopyButton({ text }: { text: string }) {
  const [state, setState] = useState<"ready" | "copied" | "denied">("ready");
  // Browsers provide the clipboard on secure origins only; elsewhere the text can be selected by hand.
  if (navigator.clipboard === undefined) return null;
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("denied"),
    );
  return (
    <button type="button" className="button is-small" onClick={copy} onBlur={() => setState("ready")}>
      {state === "ready" ? "Copy" : state === "copied" ? "Copied" : "Not allowed"}
    </button>
  );
}
