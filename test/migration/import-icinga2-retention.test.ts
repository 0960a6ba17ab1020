import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { startIcinga } from "./running-icinga.fixture.ts";

const passive = `check_command = "passive", enable_active_checks = false`;
const objects = `object User "ops" {}
object NotificationCommand "none" { command = [ "/bin/true" ] }
apply Notification "mail" to Service { command = "none", users = [ "ops" ], interval = 1h, assign where true }
object Host "web1" { address = "192.0.2.1", ${passive}, max_check_attempts = 2 }
object Host "web2" { address = "192.0.2.2", ${passive}, max_check_attempts = 1 }
object Service "http" { host_name = "web1", ${passive}, max_check_attempts = 2 }
object Service "disk" { host_name = "web1", ${passive}, max_check_attempts = 5 }
object Service "load" { host_name = "web1", ${passive}, max_check_attempts = 5 }
`;

const skip = isInstalled("icinga2") ? false : "needs icinga2";

test("[IM7] [IM8] [IM37] an agent goes on where a real Icinga 2 has stopped", { skip }, async (t) => {
  const icinga = await startIcinga(t, objects);
  const act = (action: string, ref: string, body: object): Promise<string> => {
    const [host, service] = ref.split("!");
    const filter = `host.name == "${host}"${service === undefined ? "" : ` && service.name == "${service}"`}`;
    return icinga.call(`/v1/actions/${action}`, { type: service === undefined ? "Host" : "Service", filter, ...body });
  };
  const result = (ref: string, exit_status: number, plugin_output: string): Promise<string> =>
    act("process-check-result", ref, { exit_status, plugin_output });
  await result("web1", 0, "up");
  await result("web2", 1, "no route to host");
  for (const _ of [1, 2, 3]) await result("web1!http", 2, "connection refused\nby 192.0.2.1");
  await result("web1!disk", 0, "10 % used");
  for (const _ of [1, 2]) await result("web1!disk", 1, "90 % of Größe used");
  await act("acknowledge-problem", "web1!http", { author: "ann", comment: "on it", sticky: true });
  await act("add-comment", "web1", { author: "bob", comment: 'a "note"\nof two lines' });
  const startSeconds = Math.floor(Date.now() / 1_000) - 10;
  const window = { start_time: startSeconds, end_time: startSeconds + 86_400 };
  await act("schedule-downtime", "web2", { author: "bob", comment: "new disk", fixed: true, ...window });
  await act("schedule-downtime", "web1!load", {
    author: "bob",
    comment: "may be long",
    fixed: false,
    duration: 3_600,
    ...window,
  });
  await icinga.stop();

  const [out, dataDir] = [join(tempFolder(t, "import"), "realm.cue"), join(tempFolder(t, "import"), "data")];
  const flags = ["-out", out, "-retention", icinga.stateFile, "-data-dir", dataDir, "-realm", "fra"];
  const imported = await runRealmwatch(["import", "icinga2", icinga.configuration, ...flags, "-lenient"]);
  assert.equal(imported.code, 0, imported.stderr);
  assert.doesNotMatch(imported.stdout, /retained|Comment|Downtime|record|icinga2\.state/);

  const agent = await startTestAgent(t, { config: out, realm: "fra", flags: { "data-dir": dataDir } });
  const rows = await statusRows(agent.base);
  const states = Object.entries(rows).map(([ref, { status, stateType, attempt, output }]) => [
    ref,
    status,
    stateType,
    attempt,
    output,
  ]);
  assert.deepEqual(
    states.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ["web1", "STATUS_OK", "STATE_TYPE_HARD", 1, "up"],
      ["web1!disk", "STATUS_WARNING", "STATE_TYPE_SOFT", 2, "90 % of Größe used"],
      ["web1!http", "STATUS_CRITICAL", "STATE_TYPE_HARD", 2, "connection refused"],
      ["web1!load", "STATUS_PENDING", "STATE_TYPE_HARD", 1, undefined],
      ["web2", "STATUS_CRITICAL", "STATE_TYPE_HARD", 1, "no route to host"],
    ],
  );
  const { author, comment, sticky } = rows["web1!http"]?.acknowledgement ?? {};
  assert.deepEqual([author, comment, sticky], ["ann", "on it", true]);
  assert.deepEqual(
    rows["web1"]?.comments?.map((each) => [each.author, each.text]),
    [["bob", 'a "note"\nof two lines']],
  );
  assert.deepEqual([rows["web2"]?.inDowntime, rows["web1!load"]?.inDowntime], [true, false]);
  assert.equal(rows["web1!load"]?.downtimes?.length, 1);
});
