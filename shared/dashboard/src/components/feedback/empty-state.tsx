import type { ReactNode } from "react";
import { StatusIcon } from "../status/status-icon.tsx";

const marks = { plain: "pending", good: "ok", bad: "critical" } as const;

type EmptyStateProps = { title: string; tone?: keyof typeof marks; children?: ReactNode };

/** Message in place of an empty list: the cause and what to do about it. */
export function EmptyState({ title, tone = "plain", children }: EmptyStateProps) {
  return (
    <div className={`empty-state is-${tone}`}>
      <span className="empty-mark" data-status={marks[tone]}>
        <StatusIcon status={marks[tone]} />
      </span>
      <h2 className="title">{title}</h2>
      {children}
    </div>
  );
}
