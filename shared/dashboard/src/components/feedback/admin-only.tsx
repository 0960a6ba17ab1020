import type { ReactNode } from "react";
import { useAdminBlockedReason } from "../../api/server/admin-client.ts";
import { EmptyState } from "./empty-state.tsx";

/** Content for administrators; for others the reason why it is not available. */
export function AdminOnly({ children }: { children: ReactNode }) {
  const reason = useAdminBlockedReason();
  if (reason === undefined) return children;
  return (
    <EmptyState title="Not available">
      <p>{reason}</p>
    </EmptyState>
  );
}
