import { documentHunks } from "@realmwatch/shared/view/line-diff";
import { useMemo } from "react";

const signs = { same: " ", added: "+", removed: "−" } as const;
const spoken = { same: "", added: "added: ", removed: "removed: " } as const;

/** Differences of two documents, line by line. */
export function DocumentDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const hunks = useMemo(() => documentHunks(before, after), [before, after]);
  if (hunks.length === 0) return <p className="muted">No line differs.</p>;
  const count = (kind: "added" | "removed"): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return (
    <figure className="card diff">
      <figcaption>
        {label} <span className="diff-added">+{count("added")}</span>{" "}
        <span className="diff-removed">−{count("removed")}</span> <span className="muted">lines</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard. */}
      <section className="diff-lines" tabIndex={0} aria-label={label}>
        <table>
          {hunks.map(({ lines }) => (
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
