import { Link } from "@tanstack/react-router";
import { EmptyState } from "../components/feedback/empty-state.tsx";
import { appTexts } from "../texts/app-texts.ts";

export function NotFound() {
  return (
    <EmptyState title={appTexts.pageNotFound}>
      <p>
        <Link to="/">{appTexts.goToTheProblems}</Link>
      </p>
    </EmptyState>
  );
}
