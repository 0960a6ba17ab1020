import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type ManualClock, manualClock } from "../../model/manual-clock.fixture.ts";
import { contractLimits, textStoreContract } from "../testing/text-store.contract.ts";
import { textFiles } from "./text-files.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-texts-"));
after(() => rmSync(folder, { recursive: true }));
let opened = 0;

/** Opens an empty store whose files have the times of the clock. */
async function open(clock: ManualClock) {
  const options = { folder: join(folder, String(++opened)), limits: contractLimits, clock };
  const files = textFiles(options);
  const store = {
    ...files,
    async add(key: string, text: string) {
      const stored = await files.add(key, text);
      utimesSync(join(options.folder, key), clock.now() / 1_000, clock.now() / 1_000);
      return stored;
    },
  };
  return { ...options, store, reopen: () => textFiles(options) };
}

textStoreContract("files", open);

test("[FD96] files have mode 0600, and one that is older than a day is deleted with the next one", async () => {
  const clock = manualClock(1_000_000);
  const { store, folder: own } = await open(clock);
  await store.add("a", "text");
  assert.deepEqual([statSync(own).mode & 0o777, statSync(join(own, "a")).mode & 0o777], [0o700, 0o600]);
  clock.advance(contractLimits.keptMs);
  await store.add("b", "text");
  assert.deepEqual(readdirSync(own), ["b"]);
});
