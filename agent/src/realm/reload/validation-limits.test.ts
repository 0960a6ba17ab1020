import assert from "node:assert/strict";
import { test } from "node:test";
import { fail } from "@realmwatch/shared/model/result";
import { ActiveConfiguration } from "./active-configuration.ts";

test("[PT14] documents are validated one at a time, and a fifth one is refused", async () => {
  const running: (() => void)[] = [];
  let peak = 0;
  const configuration = new ActiveConfiguration({
    document: "",
    load: () =>
      new Promise((resolve) => {
        running.push(() => resolve(fail([])));
        peak = Math.max(peak, running.length);
      }),
    path: "config.cue",
    read: async () => "",
    write: async () => fail("EROFS"),
    swap: async () => ({ summary: "", added: 0, changed: 0, removed: 0 }),
    reloaded() {},
    failed() {},
  });
  const validations = Array.from({ length: 5 }, () => configuration.validate("hosts: {}"));
  const refused = await validations[4];
  assert.deepEqual(refused?.ok === false && refused.error.kind, "exhausted");
  for (let n = 0; n < 4; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    running.shift()?.();
    const ended = await validations[n];
    assert.equal(ended?.ok === false && ended.error.kind, "rejected_document");
  }
  assert.equal(peak, 1);
  const next = configuration.validate("hosts: {}");
  await new Promise((resolve) => setImmediate(resolve));
  running.shift()?.();
  assert.equal((await next).ok, false);
});
