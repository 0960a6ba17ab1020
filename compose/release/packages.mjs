import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeTarball } from "./archives.mjs";
import { changesOf } from "./changes.mjs";
import { writeCharts } from "./charts.mjs";
import { writeDeb } from "./deb.mjs";
import { stageProduct } from "./product.mjs";
import { billOfMaterials } from "./sbom.mjs";

/**
 * Writes the files of a release to the folder `target`, which is emptied, and resolves to their names. The same commit
 * and version always give the same bytes: times are the commit's, entries are sorted and owned by root.
 *
 * @param built       built checkout: a commit's, or for tests the one at hand
 * @param modules     folders whose `node_modules` have the installed packages, by Debian's name of the architecture
 * @param work        folder for intermediate files
 * @param compression level of gzip, 1 to 9
 */
export async function writePackages({ built, modules, work, target, version, commit, compression = 9 }) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { epochSeconds } = commit;
  const changes = changesOf(readFileSync(join(built, "CHANGELOG.md"), "utf8"), { version, epochSeconds });
  const sbom = await billOfMaterials({ built, modules: Object.values(modules), version, epochSeconds });
  writeFileSync(join(target, "CHANGELOG.txt"), changes);
  writeFileSync(join(target, "sbom.cdx.json"), sbom);
  for (const [arch, installed] of Object.entries(modules)) {
    const name = `realmwatch-v${version}-linux-${arch}`;
    const product = join(work, name);
    rmSync(product, { recursive: true, force: true });
    const own = await billOfMaterials({ built, modules: [installed], version, epochSeconds });
    const texts = { "CHANGELOG.txt": changes, "sbom.cdx.json": own };
    stageProduct({ built, modules: installed, product, version, commit, texts });
    await Promise.all([
      writeTarball({ folder: product, file: join(target, `${name}.tar.gz`), epochSeconds, compression }),
      writeDeb({ product, built, work, target, version, arch, epochSeconds, compression }),
    ]);
  }
  await writeCharts({ built, work, target, version, epochSeconds });
  const files = readdirSync(target).sort();
  writeFileSync(join(target, "SHA256SUMS"), files.map((file) => `${sha256(join(target, file))}  ${file}\n`).join(""));
  return [...files, "SHA256SUMS"];
}

const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
