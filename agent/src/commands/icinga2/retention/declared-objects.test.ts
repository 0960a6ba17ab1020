import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { writeSources } from "../../import/import-run.fixture.ts";
import { withImportedStates } from "../../import/retention/imported-states.fixture.ts";
import { importIcinga2SubCommand } from "../../import-icinga2.ts";
import { runSubCommand } from "../../run-sub-command.fixture.ts";
import { apiPackage, runtimeObject, stateText } from "./icinga-state.fixture.ts";

const nowSeconds = Math.floor(systemClock.now() / 1_000);
const endSeconds = nowSeconds + 3_600;

/** Object of a list as `icinga2 object list` prints it. */
const listed = (type: string, name: string, attributes: Readonly<Record<string, string | number | boolean>>): string =>
  `Object '${name}' of type '${type}':
  % declared in '/etc/icinga2/conf.d/hosts.conf', lines 1:0-1:17
${Object.entries(attributes)
  .map(([key, value]) => `  * ${key} = ${typeof value === "string" ? `"${value}"` : value}\n`)
  .join("")}
`;

const downtime = {
  ...{ name: "d1", author: "bob", comment: "listed", fixed: true, host_name: "web1" },
  ...{ start_time: nowSeconds - 60, end_time: endSeconds, scheduled_by: "", triggered_by: "" },
};
const list =
  listed("Host", "web1", {
    name: "web1",
    address: "192.0.2.1",
    check_command: "passive",
    enable_active_checks: false,
  }) +
  listed("Downtime", "web1!d1", downtime) +
  listed("Comment", "web1!c1", { name: "c1", author: "ann", text: "a note", entry_type: 1, host_name: "web1" });

test("[IM37] comments and downtimes that an object list declares are taken over; their files win", async (t) => {
  const importList = async (files: Readonly<Record<string, string>>) => {
    const folder = writeSources(t, {
      "objects.txt": list,
      "lib/icinga2.state": stateText([{ type: "Host", name: "web1", update: {} }]),
      ...files,
    });
    const dataDir = join(folder, "data");
    const output = await runSubCommand(importIcinga2SubCommand, [
      ...["-objects", join(folder, "objects.txt"), "-out", join(folder, "out.cue"), "-realm", "fra"],
      ...["-retention", join(folder, "lib/icinga2.state"), "-data-dir", dataDir],
    ]);
    const { code, stdout, states } = await withImportedStates(output, dataDir);
    assert.equal(code, 0, stdout);
    const { comments, downtimes } = states.get("web1")?.state ?? {};
    return [...(comments ?? []).map(({ text }) => text), ...(downtimes ?? []).map(({ comment }) => comment)];
  };
  assert.deepEqual(await importList({}), ["a note", "listed"]);
  const stored = runtimeObject("Downtime", "d1", { ...downtime, comment: "stored" });
  assert.deepEqual(await importList(apiPackage({ "downtimes/web1!d1.conf": stored })), ["a note", "stored"]);
});
