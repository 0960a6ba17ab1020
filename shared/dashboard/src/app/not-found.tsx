import { Link } from "@tanstack/react-router";
import { EmptyState } from "../components/feedback/empty-state.tsx";

export function NotFound() {
  return (
    <EmptyState title="Page not found">
      <p>
        <Link to="/">Go to the problems</Link>
      </p>
    </EmptyState>
  );
}
