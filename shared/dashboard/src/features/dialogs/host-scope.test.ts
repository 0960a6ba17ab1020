import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ListStatusResponseSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { countBy, countListedServices, hostConditions, readHostsBehind } from "./host-scope.ts";

const rowOf = (realm: string, ref: string) => create(StatusRowSchema, { realm, object: objectKeyToProto(keyOf(ref)) });
const itemsOf = (realm: string, ...refs: string[]): StatusItem[] =>
  refs.map((ref) => statusItemOf(rowOf(realm, ref))).filter((item) => item !== undefined);

/** Parents of hosts by realm. `rack2` is behind both routers, and the two realms have hosts of the same names. */
const parents: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  fra: { rack1: ["core"], rack2: ["core", "spare"], web1: ["rack1"], web2: ["rack2", "rack1"], spare: [] },
  dub: { web1: ["core"] },
};

/** Answers with the hosts of a realm that have one of the named parents. */
function reader() {
  const requests: string[] = [];
  const query = {
    async listStatus(request: { realm?: string; selector?: string; summaryOnly?: boolean }) {
      const { realm = "", selector = "", summaryOnly = false } = request;
      requests.push(`${realm}: ${selector}`);
      const named = [...selector.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
      const found = Object.entries(parents[realm] ?? {}).filter(([, of]) => of.some((name) => named.includes(name)));
      if (summaryOnly) return create(ListStatusResponseSchema, { summary: { counts: [{ count: found.length }] } });
      return create(ListStatusResponseSchema, { rows: found.map(([name]) => rowOf(realm, name)) });
    },
  };
  return { requests, options: { query, signal: new AbortController().signal } as never };
}

test("[DB126] the hosts behind a host are read level by level, each once, within its realm", async () => {
  const { requests, options } = reader();
  const behind = await readHostsBehind([...itemsOf("fra", "core", "rack1"), ...itemsOf("dub", "core")], options);
  assert.deepEqual(
    behind.map(({ id }) => id),
    ["fra/rack2", "fra/web1", "fra/web2", "dub/web1"],
  );
  assert.deepEqual(requests, [
    'fra: @parent in ("core","rack1")',
    'dub: @parent in ("core")',
    'fra: @parent in ("rack2","web1","web2")',
    'dub: @parent in ("web1")',
  ]);
  assert.deepEqual(await readHostsBehind(itemsOf("fra", "web1"), options), []);
});

test("[DB126] the counts of all realms are added", async () => {
  const { options } = reader();
  assert.equal(await countBy("@parent", [...itemsOf("fra", "core"), ...itemsOf("dub", "core")], options), 3);
});

test("[DB126] the names of many hosts are divided into selectors that are within the limits", () => {
  const hosts = itemsOf("", ...Array.from({ length: 300 }, (_, at) => `${"é".repeat(20)}"${at}`));
  const selectors = hostConditions("@host", hosts).map(({ selector }) => selector);
  assert.ok(selectors.length > 1 && selectors.length < 6, String(selectors.length));
  for (const selector of selectors) assert.ok(Buffer.byteLength(selector) <= 4_096, selector);
  assert.equal(selectors.join().match(/é"?\\"/g)?.length, hosts.length);
  assert.deepEqual(hostConditions("@host", []), []);
});

test("[DB126] a service that is selected beside its host counts once", () => {
  const targets = [...itemsOf("fra", "web1", "web1!http", "web2!http"), ...itemsOf("dub", "web1!http")];
  assert.equal(countListedServices(targets), 1);
});
