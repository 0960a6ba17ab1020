import type { ReactNode } from "react";

/** One name and value of a panel's list of facts. */
export function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
