import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import {
  foreignUrls,
  loopbackHosts,
  loopbackNetworks,
} from "@realmwatch/shared/platform/network/loopback-hosts.fixture";
import { parseOutboundDeny } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { columnarDbDatasource } from "./columnar-db.ts";
import type { Datasource } from "./datasource.ts";
import { openDatasourceHttp } from "./datasource-http.ts";
import { prometheusDatasource } from "./prometheus.ts";

const types = ["prometheus", "columnar_db"] as const;
const window = { fromMs: 0, toMs: 60_000, stepMs: 15_000 };
const object = { kind: "host", name: "web1" } as const;

/** Asks each kind of query of a datasource of each type at a URL, under `-outbound-deny`. */
function openQueries(t: TestContext, networks: string) {
  const outbound = parseOutboundDeny(networks);
  assert.ok(outbound.ok);
  const clock = systemClock;
  const http = openDatasourceHttp({ clock, resolver: openNameResolver({ clock, outbound: outbound.value }) });
  t.after(() => http.close());
  const open = (type: (typeof types)[number], url: string): Datasource => {
    const options = { endpoint: { url, headers: {} }, http, realm: "fra", clock };
    return type === "prometheus"
      ? prometheusDatasource(options)
      : columnarDbDatasource({ ...options, table: "perfdata" });
  };
  return async (type: (typeof types)[number], url: string) => {
    const { queryPanel, queryMetric, listMetrics } = open(type, url);
    const { signal } = new AbortController();
    assert.ok(queryPanel);
    return [
      await queryPanel("up", window, signal),
      await queryMetric({ object, label: "time" }, window, signal),
      await listMetrics(object, signal),
    ];
  };
}

/** HTTP server on every address of this machine. Redirects to `location` unless it is empty. */
async function openSite(t: TestContext, location: (port: number) => string = () => "") {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? "");
    const to = location((server.address() as AddressInfo).port);
    response.writeHead(to === "" ? 200 : 307, to === "" ? {} : { location: to }).end();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, hosts };
}

const denied = { kind: "unavailable", why: "cannot be asked: connections to its address are denied by -outbound-deny" };

for (const type of types) {
  test(`[PT9] a ${type} datasource is not asked at a denied address, in whatever form it is given`, async (t) => {
    const { port, hosts } = await openSite(t);
    const query = openQueries(t, loopbackNetworks);
    for (const host of loopbackHosts)
      for (const answer of await query(type, `http://${host}:${port}/base`))
        assert.deepEqual(answer, { ok: false, error: denied }, host);
    assert.deepEqual(hosts, []);
  });

  test(`[PT9] a ${type} datasource that redirects to a denied address, or to any other, is not followed`, async (t) => {
    const other = await openSite(t);
    for (const location of [
      (port: number) => `http://127.0.0.2:${port}/latest/meta-data/`,
      () => `http://127.0.0.1:${other.port}/`,
      () => "file:///etc/hostname",
    ]) {
      const { port, hosts } = await openSite(t, location);
      for (const answer of await openQueries(t, "127.0.0.2")(type, `http://127.0.0.1:${port}`))
        assert.deepEqual(answer, { ok: false, error: { kind: "unavailable", why: "answered HTTP 307" } });
      assert.deepEqual(hosts, Array(3).fill(`127.0.0.1:${port}`));
    }
    assert.deepEqual(other.hosts, []);
  });

  test(`[MT7] a ${type} datasource whose URL is neither http nor https cannot be asked`, async (t) => {
    const query = openQueries(t, "");
    for (const url of foreignUrls)
      for (const answer of await query(type, url))
        assert.deepEqual(
          answer,
          { ok: false, error: { kind: "unusable", why: "cannot be asked: its address is not an http or https URL" } },
          url,
        );
  });
}

const deep = "[".repeat(100_000) + "]".repeat(100_000);
const success = (data: string): string => `{"status":"success","data":${data}}`;
/** Answers that no query of either type expects. */
const wrongAnswers = ["null", "5", '"x"', "[]", "", "{", "{}", deep, deep.slice(0, 100_000), '{"status":"success"}'];
/** Answers that resemble those of one type. Parts without a meaning may be left out. */
const strangeAnswers: readonly string[] = [
  ...["null", "5", "[null]", "[[]]", deep, '[{"label":5}]'].map(success),
  ...["[null]", "[[]]", deep, '[{"metric":{"a":5}}]', `[{"metric":{"a":${deep}}}]`, '[{"metric":{},"values":5}]']
    .map((result) => `{"resultType":"matrix","result":${result}}`)
    .map(success),
  ...["null", "5", "[null]", "[5]"].map((rows) => `{"meta":[{"name":"time","type":"DateTime"}],"data":${rows}}`),
  `{"meta":${deep},"data":${deep}}`,
];

for (const type of types)
  test(`[MT7] a ${type} datasource whose answer has another form gives no usable answer`, async (t) => {
    let text = "";
    const server = createServer((_request, response) => response.end(text));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const query = openQueries(t, "");
    for (text of [...wrongAnswers, ...strangeAnswers])
      for (const answer of await query(type, `http://127.0.0.1:${(server.address() as AddressInfo).port}`))
        assert.equal(
          answer.ok ? strangeAnswers.includes(text) && "unavailable" : answer.error.kind,
          "unavailable",
          text.slice(0, 100),
        );
  });
