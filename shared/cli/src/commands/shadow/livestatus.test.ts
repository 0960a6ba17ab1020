import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { livestatus } from "./livestatus.ts";

const folder = mkdtempSync(join(tmpdir(), "livestatus-"));
after(() => rmSync(folder, { recursive: true }));

type Table = Readonly<Record<string, unknown>>;
const header = (status: number, body: string): string =>
  `${status} ${String(Buffer.byteLength(body)).padStart(11)}\n${body}`;

/** Socket that answers `GET` as the module of Nagios does: the named columns of the table's only row, then the end. */
async function serve(name: string, respond: (table: string, columns: readonly string[]) => string): Promise<string> {
  const path = join(folder, name);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let query = "";
    socket.setEncoding("utf8").on("data", (part) => {
      query += part;
    });
    socket.on("end", () => {
      const [, table = "", columns = ""] = /^GET (\w+)\nColumns: (.*)\nOutputFormat: json\n/.exec(query) ?? [];
      socket.end(respond(table, columns.split(" ")));
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  after(() => void server.close());
  return path;
}

const common = {
  ...{ has_been_checked: 1, state_type: 1, current_attempt: 1, last_check: 1_700_000_000, execution_time: 0.25 },
  ...{ plugin_output: "größer", long_plugin_output: "one\\ntwo", perf_data: "a=1", acknowledged: true },
  ...{ scheduled_downtime_depth: 0, is_flapping: 0, notifications_enabled: 1, max_check_attempts: 3 },
  last_hard_state: 1,
  ...{ current_notification_number: 2, last_notification: 1_699_999_000 },
};
const rows: Readonly<Record<string, Table>> = {
  status: { program_version: "r2.13.6-1" },
  hosts: { ...common, name: "web1", state: 1, last_time_up: 1_699_990_000 },
  services: { ...common, host_name: "web1", description: "http", state: 3, last_time_ok: 0, acknowledged: false },
};

test("[SH13] hosts and services of Livestatus", async () => {
  const path = await serve("live", (table, columns) =>
    header(200, JSON.stringify([columns.map((column) => rows[table]?.[column])])),
  );
  const read = await livestatus(path).read();
  assert.ok(read.ok && read.value !== undefined);
  assert.equal(read.value.dialect, "icinga2");
  assert.deepEqual([...read.value.known], ["web1", "web1!http"]);
  const same = {
    ...{ isHard: true, attempt: 3, checkedAtMs: 1_700_000_000_000, executionMs: 250, output: "größer" },
    ...{ longOutput: "one\ntwo", perfdata: "a=1", notifiedAtMs: 1_699_999_000_000 },
    ...{ isPassive: false, wasHardProblem: true, notificationNumber: 2 },
  };
  assert.deepEqual(read.value.objects, [
    { ...same, ref: "web1", status: "critical", lastOkAtMs: 1_699_990_000_000, circumstances: ["acknowledged"] },
    { ...same, ref: "web1!http", status: "unknown", lastOkAtMs: undefined, circumstances: [] },
  ]);
});

test("[SH13] attempts of Nagios and Naemon are taken as they are", async () => {
  const nagios: typeof rows = { ...rows, status: { program_version: "4.4.6" } };
  const path = await serve("nagios", (table, columns) =>
    header(200, JSON.stringify([columns.map((column) => nagios[table]?.[column])])),
  );
  const read = await livestatus(path).read();
  assert.ok(read.ok && read.value !== undefined);
  assert.deepEqual([read.value.dialect, ...read.value.objects.map(({ attempt }) => attempt)], ["nagios", 1, 1]);
});

const refusals: [name: string, answer: string, message: RegExp][] = [
  [
    "refused",
    header(400, "Table 'status' has no column 'x'\n"),
    /: Livestatus refused GET status: 400 Table 'status' has no/,
  ],
  ["silent", "", /: the answer is not that of Livestatus$/],
  ["foreign", "HTTP/1.1 400 Bad Request\r\n\r\n", /: the answer is not that of Livestatus$/],
  ["cut", header(200, "[[1,"), /: the answer to GET status is not valid JSON$/],
  ["other", header(200, "[[1, 2]]"), /: the answer to GET status has other columns$/],
];
for (const [name, answer, message] of refusals)
  test(`[SH11] [SH13] an answer of Livestatus that cannot be used: ${name}`, async () => {
    const path = await serve(name, () => answer);
    const read = await livestatus(path).read();
    assert.ok(!read.ok);
    assert.match(read.error, message);
  });

test("[SH11] a socket that does not exist", async () => {
  const read = await livestatus(join(folder, "none")).read();
  assert.ok(!read.ok);
  assert.match(read.error, /none cannot be read: ENOENT$/);
});
