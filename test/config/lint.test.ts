import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { lintPlan } from "@realmwatch/shared/config/lint/lint-plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { systemClock } from "@realmwatch/shared/platform/system-clock";

// `lint/x.cue` holds, and gets exactly the warnings of `lint/x.txt`. UPDATE=1 writes down what is said now.
const loader = openLoader(systemClock);
after(() => loader.close());

/** A Wednesday in November 2026, noon UTC. */
const nowMs = Date.UTC(2026, 10, 18, 12);
const exists = (path: string): boolean => path.startsWith("/there/");
const folder = new URL("lint/", import.meta.url);

for (const name of readdirSync(folder).filter((each) => !each.endsWith(".txt")))
  test(`lint/${name}`, async () => {
    const said = await warningsOf(new URL(name, folder).pathname);
    const expected = new URL(`${name.replace(/\.cue$/, "")}.txt`, folder);
    if (process.env.UPDATE === "1") writeFileSync(expected, said);
    assert.equal(said, readFileSync(expected, "utf8"));
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

test("without a lint there are no warnings", async () => {
  const path = new URL("no-policy-at-all.cue", folder).pathname;
  const options = { realm: "default", localZone: "Europe/Berlin", profile: undefined };
  const loaded = await loader.plan({ source: { kind: "path", path }, options });
  assert.deepEqual(loaded.ok && loaded.value.warnings, []);
});

test("docs/reference/warnings.md quotes warnings that there are", () => {
  const page = readFileSync(new URL("../../docs/reference/warnings.md", import.meta.url), "utf8");
  const said = readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("");
  const quoted = [...page.matchAll(/(?:^|[ |])\*([^*\n]+)\*/g)].flatMap((match) => (match[1] as string).split("…"));
  assert.ok(quoted.length > 15, String(quoted.length));
  const isSaid = (part: string): boolean =>
    [0, 1].some((level) => said.includes(part.replace("[n]", `[${level}]`).trim()));
  assert.deepEqual(
    quoted.filter((part) => !isSaid(part)),
    [],
  );
});
