import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of what a package of the product builds, by the URL of its `package.json`, wherever npm put the package. */
export const builtSite = (packageFile: string): string => join(dirname(fileURLToPath(packageFile)), "dist");
