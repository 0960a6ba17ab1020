import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { parseNetworkList } from "@realmwatch/shared/platform/network/network-list";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { lacks, startServer } from "../checks/server-process.ts";
import { type OpenedProgram, openTestProgram, passwords, tokens } from "./program-server.fixture.ts";
import { callRaw, grpcFrame, wireProtocols } from "./raw-call.ts";

const skip = lacks("nginx");
const login = `/${AuthService.typeName}/Login`;
const listViews = `/${QueryService.typeName}/ListViews`;
const whoAmI = `/${AuthService.typeName}/WhoAmI`;

/** nginx in front of a port, three times: as its defaults are, with the usual headers, and with HTTP/2. */
async function startProxy(t: TestContext, program: OpenedProgram) {
  const upstream = new URL(program.base).host;
  const [usual, http2] = [await freePort(), await freePort()];
  const temporary = (folder: string): string =>
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("");
  const server = await startServer({
    program: "nginx",
    prepare: (folder, port) =>
      writeFileSync(
        join(folder, "nginx.conf"),
        `daemon off; master_process off; pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off; ${temporary(folder)}
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://${upstream}; } }
  server {
    listen 127.0.0.1:${usual};
    location / {
      proxy_pass http://${upstream};
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto https;
    }
  }
  server {
    listen 127.0.0.1:${http2} http2;
    location / { proxy_pass http://${upstream}; }
    location /grpc. { grpc_pass grpc://${upstream}; }
    location /svc. {
      if ($content_type = "application/grpc+proto") { return 418; }
      error_page 418 = @grpc;
      proxy_pass http://${upstream};
    }
    location @grpc { grpc_pass grpc://${upstream}; }
  }
}
`,
      ),
    argumentsFor: (folder) => ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")],
  });
  atEnd(t, () => server.stop());
  return { plain: server.port, usual, http2 };
}

type Answer = { readonly status: number; readonly text: string; readonly cookie: string };

/** Calls an RPC as a browser does; `fetch` would not let the test set `Host`. */
function browse(port: number, path: string, headers: Record<string, string>, body: object = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { "content-type": "application/json", ...headers };
    const request = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers: sent, agent: false });
    request.on("error", reject);
    request.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, text, cookie: response.headers["set-cookie"]?.[0] ?? "" });
    });
    request.end(JSON.stringify(body));
  });
}

const site = (host: string, origin = `https://${host}`) => ({ host, origin, "sec-fetch-site": "same-origin" });
const credentials = { user: "operator", password: passwords.operator };

function trust(list: string) {
  const parsed = parseNetworkList(list);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

test("[PT15] nginx, trusted: its host is the origin of pages, and by https the cookie is Secure", {
  skip,
}, async (t) => {
  const program = await openTestProgram(t, { flags: { trustedProxies: trust("127.0.0.1") } });
  const { usual, plain } = await startProxy(t, program);
  const entered = await browse(usual, login, site("mon.example"), credentials);
  assert.deepEqual([entered.status, /; Secure$/.test(entered.cookie)], [200, true], entered.text);
  const cookie = entered.cookie.split(";")[0] ?? "";
  const rows: [headers: Record<string, string>, status: number][] = [
    [site("mon.example"), 501],
    [site("mon.example:8443"), 501],
    [site("mon.example", "http://mon.example"), 403],
    [site("mon.example", "https://evil.example"), 403],
    [{ ...site("mon.example", "https://evil.example"), "x-forwarded-host": "evil.example" }, 403],
    [{ ...site("mon.example"), "sec-fetch-site": "cross-site" }, 403],
  ];
  for (const [headers, status] of rows)
    assert.equal((await browse(usual, listViews, { ...headers, cookie })).status, status, JSON.stringify(headers));
  // The defaults of nginx replace the host and report none: only -public-url can name the origin.
  assert.equal((await browse(plain, listViews, { ...site("mon.example"), cookie })).status, 403);
  const ended = await browse(usual, `/${AuthService.typeName}/Logout`, { ...site("mon.example"), cookie });
  assert.match(ended.cookie, /Max-Age=0; HttpOnly; SameSite=Lax; Secure$/);
});

test("[PT15] nginx, not trusted: what it reports has no effect", { skip }, async (t) => {
  for (const proxies of ["", "192.0.2.1"]) {
    const program = await openTestProgram(t, { flags: { trustedProxies: trust(proxies) } });
    const { usual } = await startProxy(t, program);
    assert.equal((await browse(usual, login, site("mon.example"), credentials)).status, 403);
    const entered = await browse(usual, login, { host: "mon.example" }, credentials);
    assert.deepEqual([entered.status, /Secure/.test(entered.cookie)], [200, false]);
  }
});

test("[PT15] -public-url is the origin behind a proxy with its defaults", { skip }, async (t) => {
  const program = await openTestProgram(t, { flags: { publicUrl: "https://mon.example/" } });
  const { plain } = await startProxy(t, program);
  assert.equal((await browse(plain, login, site("mon.example"), credentials)).status, 200);
  assert.equal((await browse(plain, login, site("evil.example"), credentials)).status, 403);
});

test("[PT5, PT15] a name that is rebound to a trusted proxy reaches nothing", { skip }, async (t) => {
  const program = await openTestProgram(t, {
    auth: undefined,
    flags: { trustedProxies: trust("127.0.0.1"), allowedHosts: ["mon.example"] },
  });
  const { usual, plain } = await startProxy(t, program);
  assert.equal((await browse(usual, listViews, site("mon.example"))).status, 501);
  assert.equal((await browse(usual, listViews, site("evil.example"))).status, 403);
  assert.equal(
    (await browse(usual, listViews, { ...site("evil.example"), "x-forwarded-host": "mon.example" })).status,
    403,
  );
  // A page of a rebound name may write any header; here nginx passes it on.
  const forged = { ...site("mon.example"), "x-forwarded-host": "evil.example" };
  assert.equal((await browse(plain, listViews, forged)).status, 403);
  const direct = Number(new URL(program.base).port);
  const rebound = { ...site("evil.example"), "x-forwarded-host": "mon.example" };
  assert.equal((await browse(direct, listViews, rebound)).status, 403);
});

for (const protocol of wireProtocols)
  test(`[PT15] ${protocol}: calls and their errors pass nginx`, { skip }, async (t) => {
    const program = await openTestProgram(t);
    const { usual, http2 } = await startProxy(t, program);
    const base = `http://127.0.0.1:${protocol === "grpc" ? http2 : usual}`;
    const empty = protocol === "json" ? Buffer.from("{}") : Buffer.alloc(0);
    const body = Buffer.from(protocol.startsWith("grpc") ? grpcFrame(empty) : empty);
    const codeOf = async (path: string, headers: Record<string, string>) =>
      (await callRaw(base, path, { protocol, body, headers })).code;
    const viewer = { authorization: `Bearer ${tokens.viewer.token}` };
    assert.equal(await codeOf(whoAmI, viewer), "ok");
    assert.equal(await codeOf(whoAmI, {}), "unauthenticated");
    assert.equal(await codeOf("/svc.v1.CommandService/ScheduleCheck", viewer), "permission_denied");
  });
