import { Link } from "@tanstack/react-router";
import { EmptyState } from "../components/feedback/empty-state.tsx";

export function NotFound() {
  return (
    <EmptyState title="There is no such page">
      <p>
        <Link to="/">Go to the problems</Link>
      </p>
    </EmptyState>
  );
}
