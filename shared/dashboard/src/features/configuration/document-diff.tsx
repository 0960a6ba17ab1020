import { useMemo } from "react";
import { lineDiff } from "./line-diff.ts";

const signs = { same: " ", added: "+", removed: "−" } as const;
const spoken = { same: "", added: "added: ", removed: "removed: " } as const;

/** Differences of two documents, line by line. */
export function DocumentDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const diff = useMemo(() => lineDiff(before, after), [before, after]);
  if (diff === undefined) return <p className="muted">The documents differ too much to be compared line by line.</p>;
  if (diff.hunks.length === 0) return <p className="muted">No line differs.</p>;
  return (
    <figure className="diff">
      <figcaption>
        {label} <span className="diff-added">+{diff.added}</span> <span className="diff-removed">−{diff.removed}</span>{" "}
        <span className="muted">lines</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard. */}
      <section className="diff-lines" tabIndex={0} aria-label={label}>
        <table>
          {diff.hunks.map(({ lines }) => (
            <tbody key={`${lines[0]?.before}:${lines[0]?.after}`}>
              {lines.map(({ kind, text, before: old, after: next }) => (
                <tr key={`${old}:${next}`} className={`diff-line is-${kind}`}>
                  <td className="diff-number">{old}</td>
                  <td className="diff-number">{next}</td>
                  <td className="diff-text">
                    <span aria-hidden="true">{signs[kind]} </span>
                    <span className="visually-hidden">{spoken[kind]}</span>
                    {text}
                  </td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </section>
    </figure>
  );
}
