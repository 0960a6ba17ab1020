import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { runTranscript } from "./run-transcript.ts";
import { formatTranscript, parseTranscript } from "./transcript-file.ts";

// Each transcript file must be reproduced exactly. UPDATE=1 writes the new output to the files instead.

const folder = import.meta.dirname;
const prelude = readFileSync(join(folder, "prelude.cue"), "utf8");
const loader = openLoader(systemClock);
after(() => loader.close());

async function planOf(config: string): Promise<RealmPlan> {
  const source = { kind: "text", text: `${prelude}\n${config}\n`, name: "story.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "fra", localZone: "UTC" } });
  if (!loaded.ok) throw new SyntaxError(loaded.error.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  return loaded.value.value;
}

const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
for (const file of files) {
  const path = join(folder, file);
  const written = readFileSync(path, "utf8");
  const transcript = parseTranscript(written);
  // All plans are requested at once, so that the loader's thread works ahead. A failure belongs to its own transcript.
  const first = planOf(transcript.config);
  first.catch(() => {});
  test(`${file}: ${transcript.head.split("\n")[0]}`, async () => {
    const output = formatTranscript(
      transcript,
      await runTranscript(transcript, (config) => (config === transcript.config ? first : planOf(config))),
    );
    if (process.env.UPDATE !== undefined) writeFileSync(path, output);
    else assert.equal(output, written, `the transcript ${file} has changed:\n${output}`);
  });
}

test("there are at least 150 transcripts", () => assert.ok(files.length >= 150, `${files.length} transcripts`));

/** Reasons that no transcript can have: sent, not due yet, and those of a contact's digest. */
const reasonsWithoutTranscript = new Set(["decided", "not_due", "digest"]);

test("[NO1] every reason for suppressing a notification has a transcript", () => {
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const missing = notificationReasons.filter(
    (reason) =>
      !(reasonsWithoutTranscript.has(reason) || new RegExp(`(not told|sent at it.*): ${reason}\\b`).test(texts)),
  );
  assert.deepEqual(missing, []);
});
