import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { after, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { makeSelfSignedCertificate } from "@realmwatch/agent/contacts/connect/certificate.fixture";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { icingaApi } from "./icinga-api.ts";

const known = makeSelfSignedCertificate();
const unknown = makeSelfSignedCertificate();
setDefaultCACertificates([...getCACertificates("default"), known.cert]);

/** Starts a server with a certificate. Returns its address. */
async function serve(pair: typeof known, listener: RequestListener): Promise<URL> {
  const server = createServer(pair, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const login = { user: "realmwatch", password: "a password" };
const read = (url: URL) => icingaApi(url, login, manualClock(0)).read();

/** Answers of Icinga 2.13.6, cut to one object each. */
const answers: Readonly<Record<string, { attrs: readonly string[]; object: object } | undefined>> = {
  "/v1/objects/hosts": {
    attrs: ["last_state_up", "last_reachable"],
    object: {
      ...{ name: "dead", type: "Host" },
      attrs: {
        ...{ acknowledgement: 1, check_attempt: 1, downtime_depth: 0, enable_notifications: true, flapping: false },
        ...{ last_check: 1_795_404_477.6505, last_reachable: false, last_state_up: 0, max_check_attempts: 3 },
        ...{ state: 1, state_type: 1 },
        last_check_result: {
          ...{ execution_end: 1_795_404_477.65, execution_start: 1_795_404_477.4, output: "gone" },
          performance_data: [
            "rta=1ms",
            { type: "PerfdataValue", label: "time", value: 0.5, unit: "seconds", warn: 1, crit: 2, counter: false },
          ],
        },
      },
    },
  },
  "/v1/objects/services": {
    attrs: ["last_state_ok", "check_attempt"],
    object: {
      ...{ name: "web1!http", type: "Service" },
      attrs: {
        ...{ acknowledgement: 0, check_attempt: 2, downtime_depth: 1, enable_notifications: false, flapping: true },
        ...{ last_check: 1_795_404_478, last_reachable: true, last_state_ok: 1_795_404_400, max_check_attempts: 3 },
        ...{ state: 2, state_type: 0 },
        last_check_result: {
          execution_end: 5,
          execution_start: 5,
          output: "refused\nmore\nlines",
          performance_data: null,
        },
      },
    },
  },
  "/v1/objects/notifications": {
    attrs: ["notification_number"],
    object: {
      ...{ name: "web1!http!mail", type: "Notification" },
      attrs: { last_problem_notification: 1_795_404_470.213, notification_number: 1 },
    },
  },
};

test("[SH14] hosts, services and notifications of the API", async () => {
  const url = await serve(known, async (request, response) => {
    const answer = answers[request.url ?? ""];
    const { attrs } = (await json(request)) as { attrs: readonly string[] };
    assert.equal(request.headers["x-http-method-override"], "GET");
    assert.equal(request.headers.authorization, `Basic ${btoa("realmwatch:a password")}`);
    for (const name of answer?.attrs ?? []) assert.ok(attrs.includes(name), name);
    response.end(JSON.stringify({ results: [answer?.object] }));
  });
  const observed = await read(url);
  assert.ok(observed.ok && observed.value !== undefined, JSON.stringify(observed));
  assert.deepEqual([...observed.value.known], ["dead", "web1!http"]);
  assert.deepEqual(observed.value.objects, [
    {
      ...{ ref: "dead", status: "unreachable", isHard: true, attempt: 3, checkedAtMs: 1_795_404_477_650 },
      ...{ executionMs: 250, output: "gone", longOutput: "", perfdata: "rta=1ms 'time'=0.5s;1;2" },
      ...{ isPassive: false, wasHardProblem: false, notificationNumber: 0 },
      ...{ lastOkAtMs: undefined, notifiedAtMs: undefined, circumstances: ["acknowledged"] },
    },
    {
      ...{ ref: "web1!http", status: "critical", isHard: false, attempt: 2, checkedAtMs: 1_795_404_478_000 },
      ...{ executionMs: 0, output: "refused", longOutput: "more\nlines", perfdata: "" },
      ...{ isPassive: false, wasHardProblem: false, notificationNumber: 1 },
      ...{ lastOkAtMs: 1_795_404_400_000, notifiedAtMs: 1_795_404_470_213 },
      circumstances: ["in downtime", "flapping", "notifications off"],
    },
  ]);
});

test("[SH14] a type without objects, and an object without a result", async () => {
  const url = await serve(known, (request, response) => {
    if (request.url?.endsWith("/hosts") !== true) {
      response.statusCode = 404;
      return response.end('{"error":404,"status":"No objects found."}');
    }
    const attrs = { last_check: -1, last_check_result: null };
    return response.end(JSON.stringify({ results: [{ name: "new", type: "Host", attrs }] }));
  });
  const observed = await read(url);
  assert.ok(observed.ok && observed.value !== undefined);
  assert.deepEqual([...observed.value.known], ["new"]);
  assert.deepEqual(observed.value.objects, []);
});

test("[SH14] readings take at most a fifth of the time", async () => {
  const clock = manualClock(0);
  let requests = 0;
  const url = await serve(known, (_request, response) => {
    requests += 1;
    clock.advance(1_000);
    response.end('{"results":[]}');
  });
  const system = icingaApi(url, login, clock);
  const readAfter = async (ms: number): Promise<number> => {
    clock.advance(ms);
    assert.ok((await system.read()).ok);
    return requests;
  };
  assert.equal(await readAfter(0), 3);
  assert.equal(await readAfter(11_999), 3);
  assert.equal(await readAfter(1), 6);
});

const refusals: [what: string, status: number, body: string, message: RegExp][] = [
  ["password", 401, "<h1>Unauthorized.</h1>", /^https:\S+ refused the password of API user realmwatch$/],
  [
    "permission",
    403,
    '{"error":403,"status":"Missing permission: objects/query/host"}',
    /hosts answered 403: the ApiUser realmwatch needs the permission objects\/query\/Host; Missing permission/,
  ],
  ["page", 200, "<html>", /hosts: the answer is not that of Icinga 2$/],
  ["form", 200, '{"results":[{}]}', /hosts: the answer is not that of Icinga 2$/],
];
for (const [what, status, body, message] of refusals)
  test(`[SH11] [SH14] an answer that cannot be used: ${what}`, async () => {
    const url = await serve(known, (_request, response) => {
      response.statusCode = status;
      response.end(body);
    });
    const observed = await read(url);
    assert.ok(!observed.ok);
    assert.match(observed.error, message);
    assert.doesNotMatch(observed.error, /a password/);
  });

test("[SH11] an API that cannot be reached or trusted", async () => {
  const untrusted = await read(await serve(unknown, (_request, response) => void response.end()));
  assert.ok(!untrusted.ok);
  assert.match(untrusted.error, /certificate is not known; set NODE_EXTRA_CA_CERTS to the ca\.crt of Icinga 2$/);
  const refused = await read(new URL("https://127.0.0.1:1"));
  assert.ok(!refused.ok);
  assert.match(refused.error, /cannot be read: ECONNREFUSED$/);
});
