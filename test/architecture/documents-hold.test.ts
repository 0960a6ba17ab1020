import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileRealmsDocument } from "@realmwatch/aggregator/realms/realms-document";
import { compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { filesOf, read } from "./sources.ts";

const loader = openLoader(systemClock);
after(() => loader.close());

/** Problems of a document, one for each line. The first field tells its kind. */
async function problemsOf(text: string): Promise<string[]> {
  const source = { kind: "text", text, name: "document.cue" } as const;
  const loaded = /^auth:/m.test(text)
    ? await loader.document({ source, compile: compileAuthDocument })
    : /^realms:/m.test(text)
      ? await loader.document({ source, compile: compileRealmsDocument })
      : await loader.plan({ source, options: { realm: "test", localZone: "UTC", profile: undefined } });
  return loaded.ok ? [] : loaded.error.map(formatDiagnostic);
}

for (const page of filesOf("{*.md,docs/**/*.md}"))
  for (const [at, match] of [...read(page).text.matchAll(/^```cue.*\n([\s\S]*?)^```/gm)].entries())
    test(`document ${at + 1} of ${page} is valid`, async () => {
      assert.deepEqual(await problemsOf(match[1] as string), []);
    });

for (const file of filesOf("compose/trial/*.cue"))
  test(`${file} is valid`, async () => {
    assert.deepEqual(await problemsOf(read(file).text), []);
  });

for (const realm of ["fra", "ams"])
  test(`the demo's document of ${realm} is valid`, async () => {
    const names = ["edge", "web", "cache", "database", "switch", "shelf", "smtp", "desk", "prometheus"];
    const places = `_ports: {${names.map((name, index) => `${name}: ${9_000 + index}`).join(", ")}}\n_plugins: "/p"\n_state: "/s"\n`;
    const parts = [`compose/demo/${realm}.cue`, "compose/demo/templates.cue"].map((file) => read(file).text);
    assert.deepEqual(await problemsOf([...parts, places].join("\n")), []);
  });
