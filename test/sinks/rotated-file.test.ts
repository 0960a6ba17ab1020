import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read } from "../architecture/sources.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { readIfThere, sinksDocument, sinkWait, submitValue, upTo, valuesIn } from "./sink-agent.ts";

const skip =
  spawnSync("logrotate", ["--version"]).status !== 0 &&
  "logrotate is not installed: it is in Debian's package logrotate";

test("[SK13] logrotate with the settings of the package rotates the file of a sink, and no point is lost", {
  skip,
}, async (t) => {
  const folder = tempFolder(t, "rotated");
  const config = sinksDocument(`{file: {type: "file", path: "${folder}/points.ndjson", cursor: "file.cursor"}}`);
  const agent = await startTestAgent(t, { config });
  const user = userInfo().username;
  const settings = read("compose/release/files/logrotate").text;
  writeFileSync(
    join(folder, "logrotate.conf"),
    settings.replaceAll("/var/log/realmwatch", folder).replace(/su .*/, `su ${user} ${user}`),
    {
      mode: 0o644,
    },
  );
  // In place of the service manager.
  writeFileSync(
    join(folder, "systemctl"),
    `#!/bin/sh\ntest "$*" = "reload realmwatch-agent.service" && kill -HUP ${agent.pid}\n`,
    {
      mode: 0o755,
    },
  );
  const values = (name: string): number[] =>
    valuesIn(readIfThere(join(folder, name))).map((value) => Math.round(value * 1_000));
  for (const value of upTo(10)) await submitValue(agent, value);
  await until("the file has the first points", () => values("points.ndjson").length === 10, sinkWait);
  const rotated = spawnSync(
    "logrotate",
    ["--force", "--state", join(folder, "state"), join(folder, "logrotate.conf")],
    {
      encoding: "utf8",
      env: { PATH: `${folder}:${process.env["PATH"]}` },
    },
  );
  assert.deepEqual([rotated.status, rotated.stderr], [0, ""]);
  for (const value of upTo(20).slice(10)) await submitValue(agent, value);
  const all = (): number[] => [...values("points.ndjson.1"), ...values("points.ndjson")];
  await until("the new file has the last point", () => values("points.ndjson").at(-1) === 20, {
    ...sinkWait,
    seen: all,
  });
  assert.deepEqual(all(), upTo(20));
});
