import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { lintPlan } from "@realmwatch/shared/config/lint/lint-plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { systemClock } from "@realmwatch/shared/platform/system-clock";

// `lint/x.cue` is valid and gives exactly the warnings in `lint/x.txt`. UPDATE=1 writes the current warnings.
const loader = openLoader(systemClock);
after(() => loader.close());

/** Noon (UTC) on a Wednesday in November 2026. */
const nowMs = Date.UTC(2026, 10, 18, 12);
const exists = (path: string): boolean => path.startsWith("/there/");
const folder = new URL("lint/", import.meta.url);

for (const name of readdirSync(folder).filter((each) => !each.endsWith(".txt")))
  test(`lint/${name}`, async () => {
    const warnings = await warningsOf(new URL(name, folder).pathname);
    const expected = new URL(`${name.replace(/\.cue$/, "")}.txt`, folder);
    if (process.env.UPDATE === "1") writeFileSync(expected, warnings);
    assert.equal(warnings, readFileSync(expected, "utf8"));
  });

async function warningsOf(path: string): Promise<string> {
  const loaded = await loader.plan({
    source: { kind: "path", path },
    names: "base",
    options: { realm: "default", localZone: "Europe/Berlin", profile: undefined },
    lint: (plan) => lintPlan(plan, { nowMs, exists }),
  });
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.error.map(formatDiagnostic).join("\n"));
  return loaded.value.warnings.map((each) => `${formatDiagnostic(each)}\n`).join("");
}

test("without lint there are no warnings", async () => {
  const path = new URL("no-policy-at-all.cue", folder).pathname;
  const options = { realm: "default", localZone: "Europe/Berlin", profile: undefined };
  const loaded = await loader.plan({ source: { kind: "path", path }, options });
  assert.deepEqual(loaded.ok && loaded.value.warnings, []);
});

test("docs/reference/warnings.md quotes existing warnings", () => {
  const page = readFileSync(new URL("../../docs/reference/warnings.md", import.meta.url), "utf8");
  const warnings = readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("");
  const quoted = [...page.matchAll(/(?:^|[ |])\*([^*\n]+)\*/g)].flatMap((match) => (match[1] as string).split("…"));
  assert.ok(quoted.length > 15, String(quoted.length));
  const isWarning = (part: string): boolean =>
    [0, 1].some((level) => warnings.includes(part.replace("[n]", `[${level}]`).trim()));
  assert.deepEqual(
    quoted.filter((part) => !isWarning(part)),
    [],
  );
});
