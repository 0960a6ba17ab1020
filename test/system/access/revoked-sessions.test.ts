import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startNats, startRedis, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";

const password = "correct horse";

async function logIn({ base }: TestProgram): Promise<{ cookie: string }> {
  const answer = await call(base, "AuthService/Login", { user: "ann", password });
  assert.equal(answer.ok, true, answer.message);
  return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

const isIn = async ({ base }: TestProgram, headers: { cookie: string }): Promise<boolean> =>
  (await call(base, "AuthService/WhoAmI", {}, headers)).ok;

const untilOut = (program: TestProgram, headers: { cookie: string }): Promise<unknown> =>
  until("the session has ended", async () => !(await isIn(program, headers)));

test("[AT16] a logout at one aggregator ends the session at the other, also over a loss of Redis", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const folder = tempFolder(t, "sessions");
  const [auth, secret] = [join(folder, "auth.cue"), join(folder, "secret")];
  writeFileSync(auth, `auth: ann: {role: "operator", password_hash: "${await hashPassword(password)}"}\n`);
  writeFileSync(secret, "a session secret of more than 32 bytes\n");
  const flags = {
    "auth-config": auth,
    "session-secret-file": secret,
    "nats-url": nats.url,
    "redis-url": redis.url,
  };
  const start = () => startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const [one, two] = await Promise.all([start(), start()]);
  const [first, second, kept] = [await logIn(one), await logIn(one), await logIn(two)];
  assert.deepEqual([await isIn(two, first), await isIn(two, second), await isIn(one, kept)], [true, true, true]);
  assert.equal((await call(one.base, "AuthService/Logout", {}, first)).ok, true);
  await untilOut(two, first);

  // A replica that is not running, and a logout that Redis does not see.
  await Promise.all([two.stop(), redis.stop()]);
  assert.equal((await call(one.base, "AuthService/Logout", {}, second)).ok, true);
  assert.equal(await isIn(one, second), false);
  await redis.restart();
  await two.restart();
  await untilOut(two, second);
  assert.deepEqual([await isIn(two, first), await isIn(one, kept), await isIn(two, kept)], [false, true, true]);
});
