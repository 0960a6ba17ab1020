import type { LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";
import {
  AuditIcon,
  ConfigurationIcon,
  ContactsIcon,
  DowntimesIcon,
  HandoverIcon,
  HistoryIcon,
  MutedIcon,
  ObjectsIcon,
  OverdueIcon,
  OverviewIcon,
  ProblemsIcon,
  ProcessesIcon,
  RealmsIcon,
  ReportsIcon,
  ServiceLevelsIcon,
  ViewsIcon,
} from "./nav-icons.tsx";

export type NavLink = {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly Icon: ComponentType;
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
    { to: "/", label: "Problems", Icon: ProblemsIcon, keys: "g p", inBar: true },
    { to: "/overview", label: "Overview", Icon: OverviewIcon, keys: "g t", inBar: true },
    { to: "/objects", label: "All objects", Icon: ObjectsIcon, keys: "g o", inBar: true },
  ],
  [
    { to: "/overdue", label: "Overdue", Icon: OverdueIcon, keys: "g l" },
    { to: "/muted", label: "Muted", Icon: MutedIcon, keys: "g m" },
    { to: "/downtimes", label: "Downtimes", Icon: DowntimesIcon, keys: "g d" },
    { to: "/processes", label: "Processes", Icon: ProcessesIcon, keys: "g b" },
    { to: "/views", label: "Views", Icon: ViewsIcon, keys: "g v" },
  ],
  [
    { to: "/slos", label: "Service levels", Icon: ServiceLevelsIcon, keys: "g s" },
    { to: "/reports", label: "Reports", Icon: ReportsIcon, keys: "g e" },
    { to: "/handover", label: "Handover", Icon: HandoverIcon, keys: "g n" },
    { to: "/history", label: "History", Icon: HistoryIcon, keys: "g h", inBar: true },
    { to: "/realms", label: "Realms", Icon: RealmsIcon, keys: "g r", aggregatorOnly: true },
  ],
  [
    { to: "/contacts", label: "Contacts", Icon: ContactsIcon, keys: "g c" },
    { to: "/config", label: "Configuration", Icon: ConfigurationIcon, adminOnly: true },
    { to: "/audit", label: "Audit", Icon: AuditIcon, adminOnly: true },
  ],
];

/** Pages that the connected server has and the user may use. */
export type NavAccess = { readonly aggregator: boolean; readonly admin: boolean };

export const isNavLinkUsable = ({ aggregatorOnly, adminOnly }: NavLink, { aggregator, admin }: NavAccess): boolean =>
  (aggregator || aggregatorOnly !== true) && (admin || adminOnly !== true);

/** All links that the user can use. */
export const navLinksOf = (access: NavAccess): readonly NavLink[] =>
  navGroups.flat().filter((link) => isNavLinkUsable(link, access));
