const pages: ReadonlySet<string> = new Set(["/", "/login", "/realms", "/history", "/objects", "/contacts"]);
const trees = ["/o/", "/process/"];

/** Whether the dashboard has a page of its own at a path, which its `index.html` then shows. */
export const isDashboardRoute = (path: string): boolean =>
  pages.has(path) || trees.some((tree) => path.startsWith(tree));
