import type { StatusItem } from "../status/status-item.ts";

/** Which dialog is open, and on what. */
export type DialogRequest =
  | { readonly kind: "acknowledge" | "downtime"; readonly targets: readonly StatusItem[] }
  | { readonly kind: "comment"; readonly target: StatusItem }
  | { readonly kind: "token" | "help" };
