import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

type MirrorOptions = {
  /** Folder of the document; undefined for a document that may use no other files. */
  readonly documentFolder: string | undefined;
  /** True when the document embeds files. */
  readonly embeds: boolean;
  /** Folder that becomes the module. */
  readonly moduleFolder: string;
  /** Language version of a module that is made up, such as `0.17.1`. */
  readonly cueVersion: string;
};

/**
 * Makes a module of links to the one that the document is part of, so that it can import the module's packages and embed
 * its files, while the document's own files are replaced. A document without a module gets one of its own.
 *
 * @returns the folder for the document's files
 */
export async function mirrorModule(options: MirrorOptions): Promise<string> {
  const { documentFolder, embeds, moduleFolder, cueVersion } = options;
  await mkdir(moduleFolder, { mode: 0o700 });
  const root = documentFolder === undefined ? undefined : moduleRootOf(documentFolder);
  if (root === undefined) await makeModuleFile(moduleFolder, cueVersion);
  if (documentFolder === undefined || (root === undefined && !embeds)) return moduleFolder;
  const down = root === undefined ? "" : relative(root, documentFolder);
  let [from, to] = [root ?? documentFolder, moduleFolder];
  for (const part of down === "" ? [] : down.split(sep)) {
    await linkEntries(from, to, (name) => name !== part);
    [from, to] = [join(from, part), join(to, part)];
    await mkdir(to, { mode: 0o700 });
  }
  await linkEntries(from, to, (name) => !name.endsWith(".cue"));
  return to;
}

/** Nearest folder, from this one upwards, that is the root of a module; undefined outside of modules. */
function moduleRootOf(folder: string): string | undefined {
  if (existsSync(join(folder, "cue.mod", "module.cue"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : moduleRootOf(above);
}

async function makeModuleFile(moduleFolder: string, cueVersion: string): Promise<void> {
  await mkdir(join(moduleFolder, "cue.mod"), { mode: 0o700 });
  const text = `module: "realmwatch.invalid/configuration"\nlanguage: version: "v${cueVersion}"\n`;
  await writeFile(join(moduleFolder, "cue.mod", "module.cue"), text, { mode: 0o600 });
}

/** Maximum number of entries of a folder that are linked. */
const maxEntries = 10_000;

async function linkEntries(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  // Hidden entries, such as the repository's own, are not part of a package. `cue.mod` of a made-up module exists already.
  const wanted = entries.filter(({ name }) => !name.startsWith(".") && isWanted(name)).slice(0, maxEntries);
  for (const { name } of wanted) if (!existsSync(join(to, name))) await symlink(join(from, name), join(to, name));
}
