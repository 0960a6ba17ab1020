import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openTestProgram } from "./program-server.fixture.ts";

test("[ME4] calls without access count by reason, and commands and limited logins apart from them", async (t) => {
  const { base, call, login } = await openTestProgram(t);
  const { listStatus } = QueryService.method;
  const { scheduleCheck } = CommandService.method;
  const cookie = await login("viewer");
  await call(listStatus);
  await call(listStatus, { headers: { authorization: "Bearer wrong" } });
  await call(listStatus, { headers: { cookie: "svc_session=a.b.c" } });
  await call(scheduleCheck, { headers: { cookie } });
  const guess = { request: { user: "viewer", password: "wrong" } };
  // Ten failures of a name are looked at within a minute.
  for (let attempt = 0; attempt < 12; attempt += 1) await call(AuthService.method.login, guess);
  const text = await (await fetch(`${base}/metrics`)).text();
  const has = (line: string): void =>
    assert.match(text, new RegExp(`^realmwatch_${line.replace(/[{}]/g, "\\$&")}$`, "m"));
  has('auth_failures_total{reason="missing"} 1');
  has('auth_failures_total{reason="invalid"} 2');
  has('auth_failures_total{reason="password"} 10');
  has('auth_failures_total{reason="permission"} 1');
  has("login_rate_limited_total 2");
  has('commands_total{rpc="ScheduleCheck",code="permission_denied"} 1');
  has("http_connections [1-9]\\d*");
});
