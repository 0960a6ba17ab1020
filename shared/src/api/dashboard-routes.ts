const pages: ReadonlySet<string> = new Set([
  "/",
  "/audit",
  "/config",
  "/contacts",
  "/downtimes",
  "/handover",
  "/history",
  "/login",
  "/muted",
  "/objects",
  "/overdue",
  "/overview",
  "/processes",
  "/realms",
  "/reports",
  "/slos",
  "/views",
]);
const trees = ["/o/", "/views/"];

/** Returns true for a path that is a route of the dashboard, which is answered with its `index.html`. */
export const isDashboardRoute = (path: string): boolean =>
  pages.has(path) || trees.some((tree) => path.startsWith(tree));
