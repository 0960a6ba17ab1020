import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout's top folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The Node.js that the lock file pins. Everything but installing runs on it. */
export const pinnedNode = join(root, "node_modules/.bin/node");

const own = join(root, "node_modules");
const given = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
/** Where Debian keeps servers; an ordinary user's PATH leaves these out. */
const servers = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** PATH without our own `node_modules`: installing replaces that folder, so nothing in it may be running then. */
export const outerPath = [...new Set([...given.filter((folder) => !folder.startsWith(own)), ...servers])].join(":");

/** PATH with the pinned Node.js first, for all that runs after installing. */
export const innerPath = `${join(own, ".bin")}:${outerPath}`;
