const pages: ReadonlySet<string> = new Set(["/", "/login", "/realms", "/history", "/objects", "/contacts"]);
const trees = ["/o/", "/process/"];

/** Returns true for a path that is a route of the dashboard, which is answered with its `index.html`. */
export const isDashboardRoute = (path: string): boolean =>
  pages.has(path) || trees.some((tree) => path.startsWith(tree));
