import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runLogged } from "../setup/steps.mjs";
import { normalizeFiles } from "./archives.mjs";

const files = "compose/release/files";

/**
 * Files of the configuration in the package, which are examples of the product, with their modes: those of settings, and
 * the realm's, may get secrets.
 */
const configuration = [
  { example: "realm.cue", path: "etc/realmwatch/realm.cue", mode: 0o640 },
  { example: "realms.cue", path: "etc/realmwatch/realms.cue", mode: 0o644 },
  { example: "agent.env", path: "etc/realmwatch/agent.env", mode: 0o600 },
  { example: "aggregator.env", path: "etc/realmwatch/aggregator.env", mode: 0o600 },
  { example: "logrotate", path: "etc/logrotate.d/realmwatch", mode: 0o644 },
];
const scripts = ["postinst", "prerm", "postrm"];

/** Writes the Debian package: the product below `/usr`, and the examples as the first configuration in `/etc/realmwatch`. */
export async function writeDeb({ product, built, work, target, version, arch, epochSeconds, compression }) {
  const folder = join(work, "deb");
  rmSync(folder, { recursive: true, force: true });
  const control = join(folder, "DEBIAN");
  mkdirSync(control, { recursive: true });
  cpSync(product, join(folder, "usr"), { recursive: true, verbatimSymlinks: true });
  renameSync(join(folder, "usr/share/doc/realmwatch/LICENSE"), join(folder, "usr/share/doc/realmwatch/copyright"));
  for (const { example, path } of configuration)
    cpSync(join(product, "share/realmwatch/examples", example), join(folder, path));
  for (const name of scripts) {
    cpSync(join(built, files, name), join(control, name));
    chmodSync(join(control, name), 0o755);
  }
  const paths = filesBelow(folder).filter((path) => !path.startsWith("DEBIAN/"));
  const size = paths.reduce((bytes, path) => bytes + statSync(join(folder, path)).size, 0);
  const conffiles = configuration.map(({ path }) => `/${path}\n`);
  writeFileSync(join(control, "conffiles"), conffiles.join(""));
  writeFileSync(
    join(control, "md5sums"),
    sumsOf(
      folder,
      paths.filter((path) => !path.startsWith("etc/")),
    ),
  );
  writeFileSync(join(control, "control"), controlOf({ built, version, arch, kibibytes: Math.ceil(size / 1024) }));
  const modes = configuration.map(({ path, mode }) => [path, mode]);
  normalizeFiles(folder, epochSeconds, Object.fromEntries(modes));
  const file = join(target, `realmwatch_${version}_${arch}.deb`);
  const args = ["--root-owner-group", "-Zgzip", `-z${compression}`, "--build", folder, file];
  const env = { SOURCE_DATE_EPOCH: String(epochSeconds), LC_ALL: "C" };
  await runLogged("dpkg-deb", args, { log: ".demo/release-deb.log", env });
}

const controlOf = ({ built, version, arch, kibibytes }) =>
  readFileSync(join(built, files, "control"), "utf8")
    .replace("@VERSION@", version)
    .replace("@ARCHITECTURE@", arch)
    .replace("@SIZE@", String(kibibytes));

/** Paths of all regular files below a folder, relative to it. Links are not followed, as Node.js 26 would by itself. */
const filesBelow = (folder, below = "") =>
  readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? filesBelow(folder, path) : entry.isFile() ? [path] : [];
    })
    .sort();

const md5 = (file) => createHash("md5").update(readFileSync(file)).digest("hex");
const sumsOf = (folder, paths) => paths.map((path) => `${md5(join(folder, path))}  ${path}\n`).join("");
