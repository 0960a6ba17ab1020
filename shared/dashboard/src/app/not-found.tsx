import { Link } from "@tanstack/react-router";
import { EmptyState } from "../components/feedback/empty-state.tsx";
import { PageHead } from "../components/page-title/page-head.tsx";

export function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <EmptyState title="No page has this address">
        <p>
          <Link to="/" className="page-link">
            Go to the problems
          </Link>
        </p>
      </EmptyState>
    </>
  );
}
