import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";

type Hosts = ReadonlyMap<string, readonly string[]>;

/** Addresses by lower-case name, in the file's order. Invalid lines are skipped. */
function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const known = hosts.getOrInsertComputed(name.toLowerCase(), () => []);
      if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

/** Returns a look-up of lower-case names in a hosts file, which is reread when it changes. A missing file is empty. */
export function openHostsFile(path: string): (name: string) => Promise<readonly string[]> {
  let version = "";
  let hosts: Hosts = new Map();
  return async (name) => {
    const now = await stat(path).catch(() => undefined);
    const seen = now === undefined ? "" : `${now.ino} ${now.mtimeMs} ${now.size}`;
    if (seen !== version) {
      hosts = parseHosts(now === undefined ? "" : await readFile(path, "utf8").catch(() => ""));
      version = seen;
    }
    return hosts.get(name) ?? [];
  };
}
