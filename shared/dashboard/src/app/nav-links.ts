import type { LinkProps } from "@tanstack/react-router";
import type { NavIconName } from "./nav-icons.tsx";

export type NavLink = {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly icon: NavIconName;
  /** Keys that lead to the page, such as `g p`. */
  readonly keys?: string;
  /** True for a page that only an aggregator has. */
  readonly aggregatorOnly?: boolean;
  /** True for a page that needs the role `admin`. */
  readonly adminOnly?: boolean;
  /** True for a link in the bar of a narrow screen, which folds the others. */
  readonly inBar?: boolean;
};

/** Links to the pages, in the groups of the navigation. A new page gets its link here. */
export const navGroups: readonly (readonly NavLink[])[] = [
  [
    { to: "/", label: "Problems", icon: "problems", keys: "g p", inBar: true },
    { to: "/overview", label: "Overview", icon: "overview", keys: "g t", inBar: true },
    { to: "/objects", label: "All objects", icon: "objects", keys: "g o", inBar: true },
  ],
  [
    { to: "/overdue", label: "Overdue", icon: "overdue", keys: "g l" },
    { to: "/muted", label: "Muted", icon: "muted", keys: "g m" },
    { to: "/downtimes", label: "Downtimes", icon: "downtimes", keys: "g d" },
    { to: "/processes", label: "Processes", icon: "processes", keys: "g b" },
    { to: "/views", label: "Views", icon: "views", keys: "g v" },
  ],
  [
    { to: "/slos", label: "Service levels", icon: "serviceLevels", keys: "g s" },
    { to: "/reports", label: "Reports", icon: "reports", keys: "g e" },
    { to: "/handover", label: "Handover", icon: "handover", keys: "g n" },
    { to: "/history", label: "History", icon: "history", keys: "g h", inBar: true },
    { to: "/realms", label: "Realms", icon: "realms", keys: "g r", aggregatorOnly: true },
  ],
  [
    { to: "/contacts", label: "Contacts", icon: "contacts", keys: "g c" },
    { to: "/config", label: "Configuration", icon: "configuration", adminOnly: true },
    { to: "/audit", label: "Audit", icon: "audit", adminOnly: true },
  ],
];

/** Pages that the connected server has and the user may use. */
export type NavAccess = { readonly aggregator: boolean; readonly admin: boolean };

export const isNavLinkUsable = ({ aggregatorOnly, adminOnly }: NavLink, { aggregator, admin }: NavAccess): boolean =>
  (aggregator || aggregatorOnly !== true) && (admin || adminOnly !== true);

/** All links that the user can use. */
export const navLinksOf = (access: NavAccess): readonly NavLink[] =>
  navGroups.flat().filter((link) => isNavLinkUsable(link, access));
