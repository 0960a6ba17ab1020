import assert from "node:assert/strict";
import { after, test } from "node:test";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import {
  HistoryType,
  type ListHistoryRequest,
  type ListStatusRequest,
  QueryService,
} from "@realmwatch/proto/svc/v1/query_pb";
import { cliHostRow, openCliServers, runTestCli } from "../run-cli.fixture.ts";

const { serve } = openCliServers(after);
const at = (text: string) => timestampFromMs(Date.parse(text));

/** Server of a realm in which web1 turned critical at 10:00 UTC, and ann wrote a note at 11:00 UTC. */
async function startServer() {
  const asked: { status: ListStatusRequest[]; history: ListHistoryRequest[] } = { status: [], history: [] };
  const { object } = cliHostRow("fra", "web1");
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus(request) {
        asked.status.push(request);
        return { rows: [{ ...cliHostRow("fra", "web1"), status: Status.CRITICAL, stateType: StateType.HARD }] };
      },
      listContacts: () => ({ contacts: [] }),
      listHistory(request) {
        asked.history.push(request);
        return {
          records: [
            {
              id: "3",
              realm: "fra",
              type: HistoryType.NOTE,
              at: at("2026-03-28T11:00:00Z"),
              author: "ann",
              comment: "call back",
            },
            {
              ...{ id: "2", realm: "fra", object, type: HistoryType.STATE, at: at("2026-03-28T10:00:00Z") },
              ...{ status: Status.CRITICAL, previousStatus: Status.OK, stateType: StateType.HARD, output: "refused" },
            },
          ],
          unanswered: [{ realm: "ams", code: "unavailable", message: "silent" }],
        };
      },
    }),
  );
  return { url, asked };
}

test("handover prints what began and the notes, in local time, and names realms without an answer", async () => {
  const { url, asked } = await startServer();
  const { stdout, stderr, code } = await runTestCli(["handover", "-since", "06:00", "-server", url]);
  assert.match(stdout, /^Handover 06:00 to 18:00\n\nNotes\n {2}12:00 {2}fra, ann {2}call back\n/);
  assert.match(stdout, /still open\n {2}11:00 {2}CRITICAL {2}fra web1 {2}refused\n/);
  assert.equal(stderr, "realmwatch: realm ams: unavailable: silent\n");
  assert.equal(code, 1);
  assert.deepEqual(asked.history[0]?.since, at("2026-03-28T05:00:00Z"));
  assert.equal(asked.status[0]?.at, undefined);
});

test("handover of an earlier shift asks for the state at its end; JSON has instants and references", async () => {
  const { url, asked } = await startServer();
  const shift = ["-since", "06:00", "-until", "14:00"];
  const { stdout } = await runTestCli(["handover", ...shift, "-output", "json", "-server", url]);
  const { since, began, notes } = JSON.parse(stdout);
  assert.equal(since, "2026-03-28T05:00:00.000Z");
  assert.deepEqual(began, [
    {
      ...{ status: "critical", output: "refused", began: "2026-03-28T10:00:00.000Z", times: 1 },
      ...{ realm: "fra", object: "web1", isBehind: false, acknowledgedBy: "" },
    },
  ]);
  assert.deepEqual(notes[0].text, "call back");
  assert.deepEqual(
    asked.status.map((request) => request.at),
    [at("2026-03-28T13:00:00Z"), at("2026-03-28T13:00:00Z")],
  );
});

test("handover needs a start before its end", async () => {
  const { url } = await startServer();
  for (const [args, message] of [
    [[], /-since is required/],
    [["-since", "14:00", "-until", "12:00"], /-since is not before -until/],
  ] as const) {
    const { stderr, code } = await runTestCli(["handover", ...args, "-server", url]);
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
});
