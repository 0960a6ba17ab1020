import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { normalizeFiles, writeTarball } from "./archives.mjs";

/** Writes each chart as a package of Helm, whose versions of chart and images are the release's. */
export async function writeCharts({ built, work, target, version, epochSeconds }) {
  const charts = join(work, "charts");
  mkdirSync(charts, { recursive: true });
  for (const name of readdirSync(join(built, "charts")).sort()) {
    const folder = join(charts, name);
    // The charts share templates by links, and the one of both contains them.
    cpSync(join(built, "charts", name), folder, { recursive: true, dereference: true });
    for (const each of readdirSync(folder, { recursive: true })) {
      if (basename(each) !== "Chart.yaml") continue;
      const file = join(folder, each);
      writeFileSync(file, stampChart(readFileSync(file, "utf8"), version));
    }
    normalizeFiles(folder, epochSeconds);
    await writeTarball({ folder, file: join(target, `${name}-${version}.tgz`), epochSeconds });
  }
}

/** Chart.yaml with the version of a release, also for the charts that it contains. Throws when it lacks one of the two. */
function stampChart(text, version) {
  return ["version", "appVersion"].reduce((result, key) => {
    const line = new RegExp(`^( *${key}: ).*$`, "gm");
    if (result.match(line) === null) throw new Error(`Chart.yaml has no ${key}`);
    return result.replace(line, `$1${version}`);
  }, text);
}
