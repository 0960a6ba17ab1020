import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { parseTranscript, formatTranscript } from "./transcript-file.ts";
import { runTranscript } from "./run-transcript.ts";

// Each story is a file: what happened must come out again as it is written. UPDATE=1 writes what came out instead.

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
  const story = parseTranscript(written);
  // All are asked for at once: the loader's thread is ahead of the stories. A story fails with its own document.
  const first = planOf(story.config);
  first.catch(() => {});
  test(`${file}: ${story.head.split("\n")[0]}`, async () => {
    const cameOut = formatTranscript(
      story,
      await runTranscript(story, (config) => (config === story.config ? first : planOf(config))),
    );
    if (process.env.UPDATE !== undefined) writeFileSync(path, cameOut);
    else assert.equal(cameOut, written, `the story of ${file} is another one now:\n${cameOut}`);
  });
}

test("there are stories enough to tell of a realm's life", () =>
  assert.ok(files.length >= 150, `${files.length} stories`));

/** What goes out; what is owed to nobody yet; and what only a contact's own window of messages says. */
const reasonsWithoutStory = new Set(["sent", "not_due", "digest"]);

test("[NO1] every reason why somebody is not told has a story", () => {
  const stories = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const missing = notificationReasons.filter(
    (reason) => !(reasonsWithoutStory.has(reason) || new RegExp(`(not told|sent at it.*): ${reason}\\b`).test(stories)),
  );
  assert.deepEqual(missing, []);
});
