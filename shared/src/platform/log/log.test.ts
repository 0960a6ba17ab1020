import assert from "node:assert/strict";
import { test } from "node:test";
import { hideSecret } from "../flags/secret.ts";
import { openLog } from "./log.ts";
import type { LogFormat } from "./log-settings.ts";

async function capture(format: LogFormat) {
  const chunks: string[] = [];
  const log = await openLog({ level: "info", format, to: { write: (chunk: string) => void chunks.push(chunk) } });
  return { log, text: () => chunks.join("") };
}

test("format json writes one object per line, levels by name, and no record below the level", async () => {
  const { log, text } = await capture("json");
  log.debug("quiet");
  log.child({ component: "server" }).warn({ peer: "::1" }, "line\nbreak");
  const lines = text().trimEnd().split("\n");
  assert.equal(lines.length, 1);
  const record = JSON.parse(lines[0] ?? "");
  assert.deepEqual([record.level, record.component, record.peer, record.msg], ["warn", "server", "::1", "line\nbreak"]);
  assert.match(record.time, /^\d{4}-\d\d-\d\dT.*Z$/);
});

test("format pretty writes readable lines", async () => {
  const { log, text } = await capture("pretty");
  log.info({ port: 8080 }, "listening");
  assert.match(text(), /INFO.*listening\n\s+port: 8080/);
});

test("[IN13] fields that hold secrets are masked", async () => {
  for (const format of ["json", "pretty"] as const) {
    const { log, text } = await capture(format);
    log.info({ password: "c4nary", headers: { authorization: "Bearer c4nary" }, key: hideSecret("c4nary") }, "x");
    assert.doesNotMatch(text(), /c4nary/);
    assert.match(text(), /\[secret\]/);
  }
});
