import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWebUrl } from "./web-url.ts";

for (const [text, href, zone = ""] of [
  ["http://a.example", "http://a.example/"],
  ["HTTPS://me:pw@A.example:8443/b?c", "https://me:pw@a.example:8443/b?c"],
  ["http://[::1]:80/", "http://[::1]/"],
  ["http://[fe80::1%25eth0]:81/b", "http://[fe80::1]:81/b", "%eth0"],
  ["https://me@[fe80::1%br-lan.7]/", "https://me@[fe80::1]/", "%br-lan.7"],
  ["http://a.example/%25[x%25y]", "http://a.example/%25[x%25y]"],
] as const)
  test(`the URL ${text}`, () => {
    const read = parseWebUrl(text);
    assert.deepEqual(read.ok && [read.value.url.href, read.value.zone], [href, zone]);
  });

for (const [text, why] of [
  ["a.example", "is not a URL"],
  ["a.example:80", "is neither http nor https"],
  ["http://", "is not a URL"],
  ["http://[::1", "is not a URL"],
  ["http://[fe80::1%]/", "is not a URL"],
  ["ftp://a.example/", "is neither http nor https"],
  ["file:///etc/passwd", "is neither http nor https"],
] as const)
  test(`not a URL of http or https: ${text}`, () => assert.deepEqual(parseWebUrl(text), { ok: false, error: why }));
