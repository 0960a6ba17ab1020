import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { searchTexts } from "../components/controls/search-texts.ts";
import { EmptyState } from "../components/feedback/empty-state.tsx";
import { PageHead } from "../components/page-title/page-head.tsx";
import { parseHistorySearch } from "../features/history/history-search.ts";
import { parseListSearch } from "../features/object-list/list-search.ts";
import { parseReportSearch } from "../features/reports/report-search-parameters.ts";
import { ProblemsPage } from "../pages/problems/problems-page.tsx";
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

/** Route of a page whose code is loaded when it is opened: the component that a file exports under a name. */
const page = <Path extends string, File extends object, Name extends keyof File & string>(
  path: Path,
  load: () => Promise<File>,
  name: Name,
) => createRoute({ getParentRoute, path, component: lazyRouteComponent(load, name) as RouteComponent });

/** Page with parameters in its address. */
const searchPage = <Path extends string, Search extends object, File extends object, Name extends keyof File & string>(
  path: Path,
  validateSearch: (raw: Record<string, unknown>) => Search,
  load: () => Promise<File>,
  name: Name,
) => createRoute({ getParentRoute, path, validateSearch, component: lazyRouteComponent(load, name) as RouteComponent });

// Only the start page is part of the first script.
const problems = createRoute({
  getParentRoute,
  path: "/",
  validateSearch: parseListSearch,
  component: ProblemsPage,
});
const overview = page("/overview", () => import("../pages/overview/overview-page.tsx"), "OverviewPage");
const objects = searchPage(
  "/objects",
  parseListSearch,
  () => import("../pages/objects/objects-page.tsx"),
  "ObjectsPage",
);
const overdue = searchPage(
  "/overdue",
  parseListSearch,
  () => import("../pages/overdue/overdue-page.tsx"),
  "OverduePage",
);
const muted = searchPage("/muted", parseListSearch, () => import("../pages/muted/muted-page.tsx"), "MutedPage");
const views = searchPage("/views", searchTexts("selector"), () => import("../pages/views/views-page.tsx"), "ViewsPage");
const view = searchPage("/views/$view", parseListSearch, () => import("../pages/views/view-page.tsx"), "ViewPage");
const downtimes = searchPage(
  "/downtimes",
  searchTexts("week", "q"),
  () => import("../pages/downtimes/downtimes-page.tsx"),
  "DowntimesPage",
);
const processes = page("/processes", () => import("../pages/processes/processes-page.tsx"), "ProcessesPage");
const realms = page("/realms", () => import("../pages/realms/realms-page.tsx"), "RealmsPage");
const contacts = page("/contacts", () => import("../pages/contacts/contacts-page.tsx"), "ContactsPage");
const history = searchPage(
  "/history",
  parseHistorySearch,
  () => import("../pages/history/history-page.tsx"),
  "HistoryPage",
);
const handover = page("/handover", () => import("../pages/handover/handover-page.tsx"), "HandoverPage");
const slos = page("/slos", () => import("../pages/slos/slos-page.tsx"), "SlosPage");
const reports = searchPage(
  "/reports",
  parseReportSearch,
  () => import("../pages/reports/reports-page.tsx"),
  "ReportsPage",
);
const config = page("/config", () => import("../pages/config/config-page.tsx"), "ConfigPage");
const audit = page("/audit", () => import("../pages/audit/audit-page.tsx"), "AuditPage");
const login = searchPage("/login", searchTexts("next"), () => import("../pages/login/login-page.tsx"), "LoginPage");
const object = page("/o/$realm/$object/{-$service}", () => import("../pages/object/object-page.tsx"), "ObjectPage");

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
    ...[realms, contacts, slos, reports, config, audit, history, handover, login, object],
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

function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <EmptyState title="No page has this address">
        <p>
          <Link to="/" className="page-link">
            Go to the problems
          </Link>
        </p>
      </EmptyState>
    </>
  );
}
