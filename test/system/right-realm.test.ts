import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call, type RpcAnswer } from "../run/call.ts";
import { openFaultProxy } from "../run/fault-proxy.ts";
import { startNats, startTestAgent, startTestAggregator, tempFolder } from "../run/processes.ts";
import { serviceTarget, statusRows } from "../run/rows.ts";
import { jobLine } from "../run/small-realm.ts";

const job = serviceTarget("web1", "job");
const token = "the-token-of-the-centre-0123456789abcdef";
const admin = { authorization: `Bearer ${token}` };
const config = `hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
	services: {${jobLine}}
}
`;

/** Two realms with proxies before their ports, and an aggregator whose document has the `url` of each at the other. */
async function startRealms(scope: TestScope) {
  const nats = await startNats(scope);
  const folder = tempFolder(scope, "right-realm");
  const hash = createHash("sha256").update(token).digest("hex");
  const auth = `${folder}/auth.cue`;
  writeFileSync(auth, `auth: centre: {role: "admin", token_hash: "sha256:${hash}"}\n`);
  const flags = { "nats-url": nats.url, "auth-config": auth };
  const [fra, ams] = await Promise.all([
    startTestAgent(scope, { config, realm: "fra", flags }),
    startTestAgent(scope, { config, realm: "ams", flags }),
  ]);
  const [toFra, toAms] = [await openFaultProxy(scope, fra.port), await openFaultProxy(scope, ams.port)];
  const documentOf = (fraUrl: string, amsUrl: string): string =>
    `realms: {
	fra: {url: "${fraUrl}", token_env: "TOKEN", unreachable_after: "20s"}
	ams: {url: "${amsUrl}", token_env: "TOKEN", unreachable_after: "20s"}
}
`;
  const realms = `${folder}/realms.cue`;
  writeFileSync(realms, documentOf(toAms.base, toFra.base));
  const centre = await startTestAggregator(scope, { realms, flags, env: { TOKEN: token } });
  await until("rows of both", async () => Object.keys(await statusRows(centre.base, {}, admin)).length === 4);
  const at = (rpc: string, request: object): Promise<RpcAnswer> => call(centre.base, rpc, request, admin);
  return {
    ...{ nats, fra, ams, toFra, centre, at },
    add: (realm: string, text: string): Promise<RpcAnswer> =>
      at("RealmCommandService/AddComment", { realm, request: { target: job, author: "ann", text } }),
    /** Corrects the document. */
    async swapBack() {
      writeFileSync(realms, documentOf(toFra.base, toAms.base));
      centre.signal("SIGHUP");
      await until("the document is right", async () => (await at("RealmAdminService/GetConfig", { realm: "ams" })).ok);
    },
  };
}

const commentsAt = async (base: string): Promise<readonly string[]> =>
  ((await statusRows(base, {}, admin))["web1!job"]?.comments ?? []).map(({ text }) => text);

test("[FD85-FD87] calls reach the realm and the agent that they name, or are executed nowhere", async (t) => {
  const { nats, fra, ams, toFra, centre, at, add, swapBack } = await startRealms(t);

  await t.test("[FD85] with swapped urls every call is refused by the agent that it reaches", async () => {
    const request = { cue: "hosts: {}\n" };
    for (const [realm, other] of [
      ["fra", "ams"],
      ["ams", "fra"],
    ] as const)
      for (const [rpc, given] of [
        ["RealmCommandService/AddComment", { realm, request: { target: job, author: "ann", text: "wrong" } }],
        ["RealmAdminService/ApplyConfig", { realm, request }],
        ["RealmAdminService/GetConfig", { realm }],
        ["QueryService/QueryAvailability", { realm }],
        ["QueryService/GetCheckCommand", { realm, ...job }],
        ["QueryService/ListObjectMetrics", { realm, ...job }],
      ] as const) {
        const { code, message, body } = await at(rpc, given);
        assert.equal(code, "failed_precondition", `${rpc}: ${message}`);
        assert.match(
          message,
          new RegExp(`^this is the agent of realm "${other}", instance \\w+: .* realm "${realm}" `),
        );
        assert.equal((body["details"] as { type: string }[])[0]?.type, "svc.v1.ReachedAgent");
      }
    const scheduleCheck = {};
    const { body } = await at("RealmBulkService/Execute", { selector: "@kind=service", scheduleCheck });
    const results = body["results"] as { code: string }[];
    assert.deepEqual(
      results.map(({ code }) => code),
      ["failed_precondition", "failed_precondition"],
    );
    for (const { base } of [fra, ams]) {
      assert.deepEqual(await commentsAt(base), []);
      assert.equal((await call(base, "AdminService/GetConfig", {}, admin)).body["cue"], config);
    }
  });

  await t.test(
    "[FD85] a caller without credentials does not learn whom it has reached; an aggregator is not a realm",
    async () => {
      const named = { "x-realmwatch-realm": "ams" };
      const anonymous = await call(fra.base, "QueryService/ListStatus", {}, named);
      assert.deepEqual([anonymous.code, /fra/.test(anonymous.message)], ["unauthenticated", false]);
      const known = await call(fra.base, "QueryService/ListStatus", {}, { ...admin, ...named });
      assert.deepEqual(
        [known.code, /^this is the agent of realm "fra"/.test(known.message)],
        ["failed_precondition", true],
      );
      const { code, message } = await call(centre.base, "QueryService/ListStatus", {}, { ...admin, ...named });
      assert.deepEqual([code, /^this is an aggregator: /.test(message)], ["failed_precondition", true]);
    },
  );

  await swapBack();

  await t.test(
    "[FD87] a document whose answer is lost is applied once, and the caller learns that it was",
    async () => {
      toFra.breakAll();
      toFra.fates.push("reset");
      const cue = `${config}contacts: ops: {type: "email", address: "ops@example.com"}\n`;
      const reloads = (): number => fra.output().match(/"the configuration was reloaded"/g)?.length ?? 0;
      const answer = await at("RealmAdminService/ApplyConfig", { realm: "fra", request: { cue } });
      assert.deepEqual([answer.ok, answer.message, reloads()], [true, "", 1]);
      assert.equal((await at("RealmAdminService/GetConfig", { realm: "fra" })).body["cue"], cue);

      const sent = { ...admin, "idempotency-key": "apply-1" };
      const apply = (text: string) => call(fra.base, "AdminService/ApplyConfig", { cue: text }, sent);
      assert.equal((await apply(config)).ok, true);
      assert.equal((await call(fra.base, "AdminService/ApplyConfig", { cue }, admin)).ok, true);
      assert.deepEqual([(await apply(config)).ok, reloads()], [true, 3]);
      assert.equal((await call(fra.base, "AdminService/GetConfig", {}, admin)).body["cue"], cue);
      assert.equal((await apply(cue)).code, "invalid_argument");
    },
  );

  await t.test("[FD86] calls go on after a restart of the agent, and each command is executed once", async () => {
    const [accepted, refused]: [string[], string[]] = [[], []];
    let isStopped = false;
    const sending = (async () => {
      for (let n = 0; !isStopped; n++) {
        const { ok, code, message } = await add("fra", `n${n}`);
        if (ok) accepted.push(`n${n}`);
        else if (!["unavailable", "deadline_exceeded"].includes(code)) refused.push(`${code} ${message}`);
      }
    })();
    await until("a command is accepted", () => accepted.length > 0);
    await fra.stop("SIGKILL");
    await fra.restart();
    const before = accepted.length;
    await until("commands go on", () => accepted.length > before, { withinMs: 60_000 });
    isStopped = true;
    await sending;
    assert.deepEqual(refused, []);
    const executed = await until("each is executed", async () => {
      const texts = await commentsAt(fra.base);
      return accepted.every((text) => texts.includes(text)) && texts;
    });
    assert.equal(new Set(executed).size, executed.length);
  });

  await t.test("[FD86] with NATS away a call goes to the agent that was restarted since", async () => {
    await nats.stop("SIGKILL");
    await until("NATS is away", async () => !(await fetch(`${centre.base}/readyz`)).ok);
    await fra.stop("SIGKILL");
    await fra.restart();
    await until("the command is accepted", async () => (await add("fra", "without NATS")).ok, { withinMs: 60_000 });
    await until("it is executed", async () => (await commentsAt(fra.base)).includes("without NATS"));
  });
});
