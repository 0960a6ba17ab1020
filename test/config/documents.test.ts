import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { type Loader, openLoader } from "@realmwatch/shared/load/load-document";
import { systemClock } from "@realmwatch/shared/platform/system-clock";

// Loads every document beside this file: `broken/x.cue` gives exactly the diagnostics in `broken/x.txt`, `demo/x.cue` the
// same under the demo profile, `good/x.cue` the object counts in `good/x.txt`. A directory is one document. UPDATE=1
// writes the current results: review the difference.
const loader = openLoader(systemClock);
after(() => loader.close());

/** Behaviour rules that a document's diagnostics prove, by file name. */
const rules: Readonly<Record<string, string>> = {
  "contact-fallback-cycle.cue": "[DL21] ",
  "contact-fallback-itself.cue": "[DL21] ",
  "contact-fallback-unknown.cue": "[DL21] ",
  "everything-refused.cue": "[PT10] ",
  "names-unseen.cue": "[PT13] ",
  "process-cycle.cue": "[BP10] ",
  "process-itself.cue": "[BP10] ",
  "process-ref-unknown.cue": "[BP10] ",
  "programs-and-files.cue": "[PT10] ",
};

for (const folder of ["good", "broken", "demo"] as const)
  for (const name of documentsIn(folder))
    test(`${rules[name] ?? ""}${folder}/${name}`, async () => {
      const result = await load(loader, folder, name);
      const expected = new URL(`${folder}/${name.replace(/\.cue$/, "")}.txt`, import.meta.url);
      if (process.env.UPDATE === "1") writeFileSync(expected, result);
      assert.equal(result, readFileSync(expected, "utf8"));
    });

function documentsIn(folder: string): string[] {
  const entries = readdirSync(new URL(`${folder}/`, import.meta.url), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() || entry.name.endsWith(".cue")).map((entry) => entry.name);
}

async function load(from: Loader, folder: "good" | "broken" | "demo", name: string): Promise<string> {
  const path = new URL(`${folder}/${name}`, import.meta.url).pathname;
  const profile = folder === "demo" ? "demo" : undefined;
  const options = { realm: "default", localZone: "Europe/Berlin", profile } as const;
  const loaded = await from.plan({ source: { kind: "path", path }, names: "base", options });
  if (!loaded.ok) return loaded.error.map((d) => `${d.file}:${d.line}:${d.column}: ${d.message}\n`).join("");
  return Object.entries(countObjects(loaded.value.value))
    .map(([kind, count]) => `${kind} ${count}\n`)
    .join("");
}
