import type { ReactNode } from "react";
import { usePageTitle } from "./use-page-title.ts";

type PageHeadProps = {
  title: string;
  /** Number of what the page lists; screen readers announce its changes. */
  count?: ReactNode;
  /** Controls beside the title. */
  children?: ReactNode;
};

/** Head of a page, whose title the tab of the browser has too. */
export function PageHead({ title, count, children }: PageHeadProps) {
  usePageTitle(title);
  return (
    <header className="wrapped page-head">
      <h1>{title}</h1>
      {count !== undefined && (
        <p className="page-count" aria-live="polite">
          {count}
        </p>
      )}
      {children}
    </header>
  );
}
