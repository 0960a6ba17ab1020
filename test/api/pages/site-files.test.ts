import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadStaticFiles, openSite } from "@realmwatch/shared/platform/http/static-files";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { openTestServer } from "../test-server.ts";
import { script } from "./open-pages.ts";

test("a missing directory of files is reported in one line", async () => {
  const files = await loadStaticFiles("/nonexistent/dashboard");
  assert.ok(!files.ok);
  assert.match(files.error, /^the files in "\/nonexistent\/dashboard" cannot be read: .*ENOENT/);
});

test("[PT45] a site's files are read when asked for, folders have a page and a slash, and a lost file is an error", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "site-"));
  atEnd(t, () => rm(dir, { recursive: true }));
  await mkdir(join(dir, "assets"));
  await writeFile(join(dir, "index.html"), "start");
  await writeFile(join(dir, "assets/app.B0a8rT5x.js"), script);
  await writeFile(join(dir, "assets/@search.-7dJN5bI.js"), "index");
  await writeFile(join(dir, "lost.html"), "c4nary");
  await symlink("/etc/passwd", join(dir, "passwd"));
  const files = await openSite(dir, { at: "/docs", policy: "default-src 'none'" });
  const { base, faults } = await openTestServer(t, { files, pages: new Map() });
  const start = await fetch(`${base}/docs/`);
  assert.deepEqual([start.status, await start.text()], [200, "start"]);
  assert.equal(start.headers.get("content-security-policy"), "default-src 'none'");
  const etag = start.headers.get("etag") ?? "";
  assert.equal((await fetch(`${base}/docs/`, { headers: { "if-none-match": etag } })).status, 304);
  const bare = await fetch(`${base}/docs`, { redirect: "manual" });
  assert.deepEqual([bare.status, bare.headers.get("location")], [301, "/docs/"]);
  assert.equal(await (await fetch(`${base}/docs/assets/@search.-7dJN5bI.js`)).text(), "index");
  const asset = await fetch(`${base}/docs/assets/app.B0a8rT5x.js`);
  assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
  for (const path of ["/docs/passwd", "/docs/../etc/passwd", "/docs/nope.html"])
    assert.equal((await fetch(base + path)).status, 404, path);
  await rm(join(dir, "lost.html"));
  assert.equal((await fetch(`${base}/docs/lost.html`)).status, 500);
  assert.equal(faults.length, 1);
  assert.equal((await openSite("/nonexistent/docs", { at: "/docs", policy: "" })).size, 0);
});
