import assert from "node:assert/strict";
import { after, test } from "node:test";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { openCliServers, runTestCli } from "../run-cli.fixture.ts";

const { serve } = openCliServers(after);

test("a note without -target-realm is the aggregator's own, with it the realm's", async () => {
  const added: string[] = [];
  const url = await serve((router) => {
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listStatus: () => ({ realms: [{ name: "fra" }] }),
    });
    router.service(RealmCommandService, {
      addNote({ realm, request }) {
        added.push(`${realm} ${request?.author} ${request?.text}`);
        return { noteId: "n1" };
      },
    });
  });
  const { stdout } = await runTestCli(["note", "add", "call back", "-server", url]);
  assert.equal(stdout, "note n1\n");
  await runTestCli(["note", "add", "of fra", "-target-realm", "fra", "-server", url]);
  assert.deepEqual(added, [" ann call back", "fra ann of fra"]);
});

test("note list prints local times and the realms, and names those without an answer", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      listNotes: () => ({
        notes: [
          {
            id: "2",
            at: timestampFromMs(Date.parse("2026-03-28T11:00:00Z")),
            author: "centre",
            onBehalfOf: "ben",
            text: "own",
          },
          {
            id: "1",
            at: timestampFromMs(Date.parse("2026-03-28T10:00:00Z")),
            realm: "fra",
            author: "ann",
            text: "call back",
          },
        ],
        unanswered: [
          { realm: "ams", code: "unavailable", message: "silent" },
          { realm: "", code: "unavailable", message: "Redis is away" },
        ],
      }),
    }),
  );
  const { stdout, stderr, code } = await runTestCli(["note", "list", "-server", url]);
  assert.match(stdout, /2026-03-28 12:00:00 +ben +own\n2026-03-28 11:00:00 +fra +ann +call back\n/);
  assert.equal(
    stderr,
    "realmwatch: realm ams: unavailable: silent\nrealmwatch: the aggregator's own log: unavailable: Redis is away\n",
  );
  assert.equal(code, 1);
});
