import type { StatusItem } from "../status/status-item.ts";

/** The dialog to open, with the objects that it acts on. */
export type DialogRequest =
  | { readonly kind: "acknowledge" | "downtime"; readonly targets: readonly StatusItem[] }
  | { readonly kind: "comment"; readonly target: StatusItem }
  | { readonly kind: "token" | "help" };
