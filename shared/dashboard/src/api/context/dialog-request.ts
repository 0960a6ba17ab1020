import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import type { ProblemLink } from "../status/problem-link.ts";
import type { StatusItem } from "../status/status-item.ts";

/** The dialog to open, with the objects that it acts on. */
export type DialogRequest =
  | { readonly kind: "acknowledge" | "downtime" | "comment"; readonly targets: readonly StatusItem[] }
  | { readonly kind: "acknowledge_link"; readonly target: StatusItem; readonly link: ProblemLink }
  | { readonly kind: "mute"; readonly contact: Contact }
  | { readonly kind: "new_downtime" | "token" | "help" | "palette" };
