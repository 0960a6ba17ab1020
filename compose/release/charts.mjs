import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { normalizeFiles, writeTarball } from "./archives.mjs";

/** Writes each chart as a package of Helm, whose versions of chart and images are the release's. */
export async function writeCharts({ built, work, target, version, epochSeconds }) {
  const charts = join(work, "charts");
  mkdirSync(charts, { recursive: true });
  for (const name of readdirSync(join(built, "charts")).sort()) {
    const folder = join(charts, name);
    cpSync(join(built, "charts", name), folder, { recursive: true });
    const file = join(folder, "Chart.yaml");
    writeFileSync(file, stampChart(readFileSync(file, "utf8"), version));
    normalizeFiles(folder, epochSeconds);
    await writeTarball({ folder, file: join(target, `${name}-${version}.tgz`), epochSeconds });
  }
}

/** Chart.yaml with the version of a release. Throws when it lacks one of the two versions. */
function stampChart(text, version) {
  return ["version", "appVersion"].reduce((result, key) => {
    const line = new RegExp(`^${key}: .*$`, "m");
    if (!line.test(result)) throw new Error(`Chart.yaml has no ${key}`);
    return result.replace(line, `${key}: ${version}`);
  }, text);
}
