import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the checkout's top folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Node.js of the version that the lock file pins. All programs but the installation run on it. */
export const pinnedNode = join(root, "node_modules/.bin/node");

const own = join(root, "node_modules");
const inherited = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
/** Folders of Debian's servers, which the PATH of an ordinary user does not have. */
const serverFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** PATH without this checkout's `node_modules`: installing replaces that folder, so that nothing in it may run then. */
export const systemPath = [
  ...new Set([...inherited.filter((folder) => !folder.startsWith(own)), ...serverFolders]),
].join(":");

/** PATH with the pinned Node.js first, for all programs that run after the installation. */
export const toolPath = `${join(own, ".bin")}:${systemPath}`;
