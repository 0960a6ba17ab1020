import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { parseHistorySearch } from "../features/history/history-search.ts";
import { parseListSearch } from "../features/object-list/list-search.ts";
import { parseReportSearch } from "../features/reports/report-search-parameters.ts";
import { ProblemsPage } from "../pages/problems/problems-page.tsx";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";
import { parseRotate } from "./wall/wall-stops.ts";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  // `wall=1` on any page is the wall mode; with `rotate=60` it changes to the next page each minute.
  validateSearch: ({ wall, rotate }: Record<string, unknown>): { wall?: string; rotate?: string } => {
    if (wall !== "1") return {};
    const seconds = parseRotate(rotate);
    return seconds === undefined ? { wall } : { wall, rotate: String(seconds) };
  },
});
const getParentRoute = () => root;

// Only the start page is part of the first script; the others are loaded when they are opened.

const problems = createRoute({
  getParentRoute,
  path: "/",
  validateSearch: parseListSearch,
  component: ProblemsPage,
});

const overview = createRoute({
  getParentRoute,
  path: "/overview",
  component: lazyRouteComponent(() => import("../pages/overview/overview-page.tsx"), "OverviewPage"),
});

const objects = createRoute({
  getParentRoute,
  path: "/objects",
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import("../pages/objects/objects-page.tsx"), "ObjectsPage"),
});

const overdue = createRoute({
  getParentRoute,
  path: "/overdue",
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import("../pages/overdue/overdue-page.tsx"), "OverduePage"),
});

const muted = createRoute({
  getParentRoute,
  path: "/muted",
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import("../pages/muted/muted-page.tsx"), "MutedPage"),
});

const views = createRoute({
  getParentRoute,
  path: "/views",
  validateSearch: ({ selector }: Record<string, unknown>): { selector?: string } =>
    typeof selector === "string" && selector !== "" ? { selector } : {},
  component: lazyRouteComponent(() => import("../pages/views/views-page.tsx"), "ViewsPage"),
});

const view = createRoute({
  getParentRoute,
  path: "/views/$view",
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import("../pages/views/view-page.tsx"), "ViewPage"),
});

const downtimes = createRoute({
  getParentRoute,
  path: "/downtimes",
  validateSearch: ({ week, q }: Record<string, unknown>): { week?: string; q?: string } => ({
    ...(typeof week === "string" && /^\d{1,2}$/.test(week) ? { week } : {}),
    ...(typeof q === "string" && q !== "" ? { q } : {}),
  }),
  component: lazyRouteComponent(() => import("../pages/downtimes/downtimes-page.tsx"), "DowntimesPage"),
});

const processes = createRoute({
  getParentRoute,
  path: "/processes",
  component: lazyRouteComponent(() => import("../pages/processes/processes-page.tsx"), "ProcessesPage"),
});

const realms = createRoute({
  getParentRoute,
  path: "/realms",
  component: lazyRouteComponent(() => import("../pages/realms/realms-page.tsx"), "RealmsPage"),
});

const contacts = createRoute({
  getParentRoute,
  path: "/contacts",
  component: lazyRouteComponent(() => import("../pages/contacts/contacts-page.tsx"), "ContactsPage"),
});

const history = createRoute({
  getParentRoute,
  path: "/history",
  validateSearch: parseHistorySearch,
  component: lazyRouteComponent(() => import("../pages/history/history-page.tsx"), "HistoryPage"),
});

const handover = createRoute({
  getParentRoute,
  path: "/handover",
  component: lazyRouteComponent(() => import("../pages/handover/handover-page.tsx"), "HandoverPage"),
});

const slos = createRoute({
  getParentRoute,
  path: "/slos",
  component: lazyRouteComponent(() => import("../pages/slos/slos-page.tsx"), "SlosPage"),
});

const reports = createRoute({
  getParentRoute,
  path: "/reports",
  validateSearch: parseReportSearch,
  component: lazyRouteComponent(() => import("../pages/reports/reports-page.tsx"), "ReportsPage"),
});

const config = createRoute({
  getParentRoute,
  path: "/config",
  component: lazyRouteComponent(() => import("../pages/config/config-page.tsx"), "ConfigPage"),
});

const audit = createRoute({
  getParentRoute,
  path: "/audit",
  component: lazyRouteComponent(() => import("../pages/audit/audit-page.tsx"), "AuditPage"),
});

const login = createRoute({
  getParentRoute,
  path: "/login",
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === "string" ? { next } : {}),
  component: lazyRouteComponent(() => import("../pages/login/login-page.tsx"), "LoginPage"),
});

const object = createRoute({
  getParentRoute,
  path: "/o/$realm/$object",
  component: lazyRouteComponent(() => import("../pages/object/object-route.tsx"), "ObjectRoute"),
});

const service = createRoute({
  getParentRoute,
  path: "/o/$realm/$object/$service",
  component: lazyRouteComponent(() => import("../pages/object/object-route.tsx"), "ObjectRoute"),
});

/** Parses search parameters as plain text instead of JSON, so that addresses stay short and readable. */
function readSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

export const router = createRouter({
  routeTree: root.addChildren([
    ...[problems, overview, objects, overdue, muted, views, view, downtimes, processes],
    ...[realms, contacts, slos, reports, config, audit, history, handover, login, object, service],
  ]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
