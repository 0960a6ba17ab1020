import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { AdminService, ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService } from "@realmwatch/proto/svc/v1/realm_pb";
import { openCliServers, runTestCli } from "../../run-cli.fixture.ts";

const { serve } = openCliServers(after);
const folder = mkdtempSync(join(tmpdir(), "run-cli-"));
after(() => rmSync(folder, { recursive: true }));

/** Serves the configuration of a realm through an aggregator. */
async function serveConfiguration() {
  const applied: string[] = [];
  const url = await serve((router) =>
    router
      .service(QueryService, {
        getServerInfo: () => ({ aggregator: true }),
        listStatus: () => ({
          realms: [{ name: "fra" }],
          rows: [
            {
              object: { ref: { case: "host", value: { name: "db1" } } },
              comments: [{ id: "1", author: "bea", text: "old", at: { seconds: 1n } }],
            },
          ],
        }),
      })
      .service(RealmAdminService, {
        getConfig: ({ realm }) => ({ cue: `// of ${realm}\nhosts: {}\n` }),
        validateConfig({ request }) {
          if (request?.cue.includes("wrong") !== true) return {};
          const diagnostics = [{ message: "is wrong", file: "config.cue", line: 2, column: 7 }];
          const details = [{ desc: ConfigDiagnosticsSchema, value: { diagnostics } }];
          throw new ConnectError("rejected", Code.InvalidArgument, undefined, details);
        },
        applyConfig({ request }) {
          applied.push(request?.cue ?? "");
          return {};
        },
      }),
  );
  return { url, applied };
}

test("a document is applied after its changes were printed and the user confirmed", async () => {
  const { url, applied } = await serveConfiguration();
  const path = join(folder, "next.cue");
  writeFileSync(path, "hosts: {}\n");
  const apply = ["config", "apply", path, "-server", url, "-target-realm", "fra"];
  const questions: string[] = [];
  const confirm = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  const declined = await runTestCli(apply, { confirm: confirm(false) });
  assert.deepEqual([declined.code, declined.stdout], [1, ""]);
  assert.equal(declined.stderr, "-1 service\nrealmwatch: nothing was applied\n");
  assert.deepEqual(declined.runs[0]?.args, ["blast-radius", "-realm=fra", path]);
  const input = JSON.parse(declined.runs[0]?.input ?? "{}");
  assert.equal(input.cue, "// of fra\nhosts: {}\n");
  assert.deepEqual(input.attached.db1.comments[0].text, "old");
  assert.deepEqual(applied, []);

  const agreed = await runTestCli(apply, { confirm: confirm(true) });
  assert.deepEqual([agreed.code, agreed.stdout], [0, `${url} now runs on ${path}\n`]);
  assert.deepEqual(applied, ["hosts: {}\n"]);
  assert.deepEqual(questions, Array(2).fill(`Apply ${path} to ${url}?`));

  writeFileSync(path, "hosts: {}\nhosts: wrong: 1\n");
  const rejected = await runTestCli([...apply, "-yes"]);
  assert.deepEqual([rejected.code, rejected.stderr], [1, `${path}:2:7: is wrong\n`]);
  const unread = await runTestCli(["config", "diff", join(folder, "none.cue"), "-server", url, "-target-realm", "fra"]);
  assert.match(unread.stderr, /none\.cue cannot be read: no such file or directory\n$/);
});

test("differences are printed in the format of diff -u", async () => {
  const { url } = await serveConfiguration();
  const path = join(folder, "other.cue");
  writeFileSync(path, "// of fra\nhosts: web1: {}\n");
  const { stdout } = await runTestCli(["config", "diff", path, "-server", url, "-target-realm", "fra"]);
  assert.equal(stdout, `--- ${url}\n+++ ${path}\n@@ -1,2 +1,2 @@\n // of fra\n-hosts: {}\n+hosts: web1: {}\n`);
  const json = await runTestCli(["config", "diff", path, "-server", url, "-target-realm", "fra", "-output", "json"]);
  assert.equal(JSON.parse(json.stdout).differs, true);
});

test("the configuration of an agent is fetched from its AdminService", async () => {
  const url = await serve((router) =>
    router
      .service(QueryService, { getServerInfo: () => ({ realm: "fra" }) })
      .service(AdminService, { getConfig: () => ({ cue: "hosts: {}\n" }) }),
  );
  assert.equal((await runTestCli(["config", "get", "-server", url, "-target-realm=fra"])).stdout, "hosts: {}\n");
});
