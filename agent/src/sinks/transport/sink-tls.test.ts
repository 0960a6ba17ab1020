import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSelfSignedCertificate } from "../../contacts/connect/certificate.fixture.ts";
import { httpSink, openSinkReceiver, openTestSinkHost, sinkFolder } from "../sinks.fixture.ts";

const cases: [what: string, certificate: object, trusted: boolean, error: RegExp][] = [
  ["self-signed", {}, false, /self-signed/],
  ["for another host", { names: "DNS:other.example" }, true, /for another name/],
  ["expired", { until: "20200201000000Z" }, true, /expired/],
];
for (const [what, certificate, trusted, error] of cases)
  test(`[SK9] a receiver whose certificate is ${what} gets nothing`, async (t) => {
    const pair = makeSelfSignedCertificate(certificate);
    const receiver = await openSinkReceiver(t, () => 200, pair);
    const host = openTestSinkHost(t, { dataDir: sinkFolder(t), ...(trusted ? { extraAuthorities: pair.cert } : {}) });
    await host.configure(httpSink("s", receiver.url));
    host.point(1);
    const { lastError, counts } = await host.untilStatus(
      "it fails",
      "s",
      ({ failingSinceMs }) => failingSinceMs !== undefined,
    );
    assert.match(lastError, error);
    assert.deepEqual(Object.keys(counts.failed), ["tls"]);
    assert.deepEqual(receiver.bodies, []);
  });
