import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { keyOfPath } from "../api/status/object-key.ts";
import { ownRealmParam } from "../components/object/object-link.tsx";
import { parseHistorySearch } from "../features/history/history-search.ts";
import { parseListSearch } from "../features/object-list/list-search.ts";
import { ContactsPage } from "../pages/contacts/contacts-page.tsx";
import { HistoryPage } from "../pages/history/history-page.tsx";
import { ObjectPage } from "../pages/object/object-page.tsx";
import { ObjectsPage } from "../pages/objects/objects-page.tsx";
import { ProblemsPage } from "../pages/problems/problems-page.tsx";
import { RealmsPage } from "../pages/realms/realms-page.tsx";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const problems = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: parseListSearch,
  component: ProblemsPage,
});

const objects = createRoute({
  getParentRoute: () => root,
  path: "/objects",
  validateSearch: parseListSearch,
  component: ObjectsPage,
});

const realms = createRoute({ getParentRoute: () => root, path: "/realms", component: RealmsPage });

const contacts = createRoute({ getParentRoute: () => root, path: "/contacts", component: ContactsPage });

const history = createRoute({
  getParentRoute: () => root,
  path: "/history",
  validateSearch: parseHistorySearch,
  component: HistoryPage,
});

const object = createRoute({
  getParentRoute: () => root,
  path: "/o/$realm/$object",
  component: () => {
    const { realm, object: name } = object.useParams();
    return <ObjectPage realm={realm === ownRealmParam ? "" : realm} object={keyOfPath(name, undefined)} />;
  },
});

const service = createRoute({
  getParentRoute: () => root,
  path: "/o/$realm/$object/$service",
  component: () => {
    const { realm, object: host, service: name } = service.useParams();
    return <ObjectPage realm={realm === ownRealmParam ? "" : realm} object={keyOfPath(host, name)} />;
  },
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
  routeTree: root.addChildren([problems, objects, realms, contacts, history, object, service]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultPreload: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
