import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { KeptAnswer } from "./command-answer.ts";
import { commentCommandInput, openTestJournals, recoverWithStates } from "./journal.fixture.ts";
import type { Journal } from "./journal.ts";
import { AnswerStore } from "./write/answer-store.ts";

const { newDir, open } = openTestJournals(after);

const keptAnswer = (key: string, more: Partial<KeptAnswer> = {}): KeptAnswer => ({
  ...{ identity: "ann", key, requestHash: "h", quota: "commands", atMs: 1_000 },
  answer: { kind: "accepted", ids: [`id of ${key}`], matched: 1 },
  ...more,
});

async function found(journal: Journal, key: string, identity = "ann"): Promise<KeptAnswer | undefined> {
  const answer = await journal.answerTo({ identity, key });
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value;
}

test("[FD21] an answer is stored with its command, and is found after a restart", async () => {
  const dir = newDir();
  const first = await open(dir);
  await recoverWithStates(first);
  assert.equal(await found(first, "one"), undefined);
  await first.accept(commentCommandInput("a"), { answer: keptAnswer("one") });
  const refused = keptAnswer("two", { answer: { kind: "refused", refusal: { kind: "missing", what: "host" } } });
  await first.keepAnswer(refused);
  assert.deepEqual(await found(first, "one"), keptAnswer("one"));
  await first.close();
  const second = await open(dir);
  assert.deepEqual(await found(second, "one"), keptAnswer("one"));
  assert.deepEqual(await found(second, "two"), refused);
  assert.equal(await found(second, "one", "ben"), undefined);
  assert.equal((await recoverWithStates(second)).commands.length, 1);
  await second.close();
});

test("[PA30] a repeat waits for the standby as the first call does, and is not told of what only this member has", async () => {
  const stored = Promise.withResolvers<void>();
  let outcome = Promise.withResolvers<Result<void, string>>();
  const pair = { start() {}, take: () => stored.resolve(), lastPosition: () => 1, confirmed: () => outcome.promise };
  const journal = await open(newDir(), { pair });
  await recoverWithStates(journal);
  const first = journal.accept(commentCommandInput("a"), { answer: keptAnswer("one") });
  await stored.promise;
  const asked = journal.answerTo({ identity: "ann", key: "one" });
  outcome.resolve(fail("the role is given up"));
  const told = { ok: false, error: { kind: "unanswered", what: "the role is given up" } };
  assert.deepEqual([await first, await asked], [told, told]);
  outcome = Promise.withResolvers();
  outcome.resolve(ok(undefined));
  assert.deepEqual(await found(journal, "one"), keptAnswer("one"));
  await journal.close();
});

test("[FD24] answers older than 24 hours are deleted", async () => {
  const clock = manualClock(0);
  const journal = await open(newDir(), { clock });
  await recoverWithStates(journal);
  await journal.keepAnswer(keptAnswer("old", { atMs: 0 }));
  clock.advance(3_600_000);
  await journal.keepAnswer(keptAnswer("new", { atMs: clock.now() }));
  clock.advance(86_400_000 - 3_600_000 - 60_000);
  assert.ok(await found(journal, "old"));
  await until("the old answer is gone", async () => {
    clock.advance(60_000);
    return (await found(journal, "old")) === undefined;
  });
  assert.ok(await found(journal, "new"));
  await journal.close();
});

test("a damaged answer is reported, not taken for a new call", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.keepAnswer(keptAnswer("one"));
  await journal.close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  db.exec("UPDATE answer SET json = replace(json, 'one', 'two')");
  db.close();
  const again = await open(dir);
  const answer = await again.answerTo({ identity: "ann", key: "one" });
  assert.match(JSON.stringify(answer), /unavailable.*damaged/);
  await again.close();
});

test("[FD24] each quota deletes its oldest answers, and leaves those of the other alone", async () => {
  const dir = newDir();
  await (await open(dir)).close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  const store = new AnswerStore(db, 3);
  store.add(keptAnswer("command"));
  for (let n = 1; n <= 5; n++) store.add(keptAnswer(`result ${n}`, { quota: "results" }));
  const left = db.prepare("SELECT key FROM answer ORDER BY seq").all();
  assert.deepEqual(
    left.map(({ key }) => key),
    ["command", "result 3", "result 4", "result 5"],
  );
  db.exec("BEGIN");
  store.add(keptAnswer("result 6", { quota: "results" }));
  db.exec("ROLLBACK");
  store.rolledBack();
  store.add(keptAnswer("result 7", { quota: "results" }));
  assert.equal(store.find({ identity: "ann", key: "result 3" }), undefined);
  assert.ok(store.find({ identity: "ann", key: "result 4" }));
  db.close();
});
