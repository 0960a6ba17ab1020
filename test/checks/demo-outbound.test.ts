import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";

const metadata = "http://169.254.169.254/latest/meta-data/";

test("[PT9, PT10] an agent of the demo profile denies metadata addresses without -outbound-deny, and refuses programs", async (t) => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/redirect" ? 302 : 200, { location: metadata }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host = (url: string): string =>
    `{address: "x", check: {type: "http", url: "${url}", check_interval: "1s", retry_interval: "1s", max_attempts: 1, flap: {}}}`;
  const config = `hosts: {
	direct: ${host(metadata)}
	mapped: ${host("http://[::ffff:169.254.169.254]/")}
	redirected: ${host(`${base}/redirect`)}
	fine: ${host(base)}
}
datasources: cloud: {type: "prometheus", url: "${metadata}", default: true}
ui: panels: secrets: {query: "up"}
`;
  const admin = newToken();
  const auth = join(tempFolder(t, "auth"), "auth.cue");
  writeFileSync(auth, `auth: root: {role: "admin", token_hash: "${admin.tokenHash}"}\n`);
  const headers = { authorization: `Bearer ${admin.token}` };
  const agent = await startTestAgent(t, { config, flags: { "config-profile": "demo", "auth-config": auth } });

  const rows = await until(
    "every host has been checked",
    async () => {
      const found = await statusRows(agent.base, {}, headers);
      return Object.values(found).every(({ status }) => status !== "STATUS_PENDING") ? found : undefined;
    },
    { seen: () => agent.output().slice(-2_000) },
  );
  const deniedAt = (address: string): string => `connections to ${address} are denied by -outbound-deny`;
  assert.deepEqual(
    ["direct", "mapped", "redirected"].map((name) => rows[name]?.output),
    [deniedAt("169.254.169.254"), deniedAt("::ffff:a9fe:a9fe"), deniedAt("169.254.169.254")],
  );
  assert.match(rows["fine"]?.output ?? "", /^HTTP 200/);

  const panel = await call(agent.base, "QueryService/QueryPanel", { panel: "secrets" }, headers);
  assert.ok(!panel.ok);
  assert.equal(panel.code, "unavailable");
  assert.match(panel.message, /denied by -outbound-deny/);

  const program = `commands: sh: {command_line: "/bin/sh -c id"}\n${config}`;
  const applied = await call(agent.base, "AdminService/ApplyConfig", { cue: program }, headers);
  assert.ok(!applied.ok);
  assert.equal(applied.code, "invalid_argument");
  assert.match(applied.message, /config\.cue:1:\d+: commands must be empty under the demo profile/);
});
