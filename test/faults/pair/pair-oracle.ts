import assert from "node:assert/strict";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { DeliveredMessage } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { statusRows } from "../../run/rows.ts";
import { healthy, type PairEnvironment } from "./pair-environment.ts";
import type { PairClientRecord } from "./pair-load.ts";
import { type PairTestMember, patienceMs } from "./pair-member.ts";
import type { PairWatch, SeenActive } from "./pair-watch.ts";

type HistoryJson = {
  readonly id: string;
  readonly type: string;
  readonly output?: string;
  readonly comment?: string;
  readonly object?: { readonly host?: { readonly name: string } };
  readonly contact?: string;
  readonly notificationKind?: string;
  readonly possibleDuplicate?: boolean;
  readonly divergedFrom?: string;
  readonly pair?: { readonly to: string; readonly reason: string };
};

/** Reads the whole history of a member, newest first. */
async function historyOf({ program }: PairTestMember): Promise<readonly HistoryJson[]> {
  const records: HistoryJson[] = [];
  let pageToken = "";
  do {
    const { ok, message, body } = await call(program.base, "QueryService/ListHistory", { pageSize: 1_000, pageToken });
    if (!ok) throw new Error(message);
    records.push(...((body["records"] ?? []) as HistoryJson[]));
    pageToken = String(body["nextPageToken"] ?? "");
  } while (pageToken !== "");
  return records;
}

/**
 * Waits until the pair is healthy, and compares what the clients were told with state and history of both members and
 * with what the receiver got. Returns what it counted.
 */
export async function judgePair(
  environment: PairEnvironment,
  record: PairClientRecord,
  watch: PairWatch,
): Promise<string> {
  const { members, receiver } = environment;
  await healthy(environment);
  assert.deepEqual(record.faults, [], "no command was refused for another reason than the faults");
  const unnotified = () =>
    missingFrom(record.results, outputsOf(receiver.delivered)).map((text) => `${text}: ${record.told.get(text)}`);
  await until("each accepted result is notified", () => unnotified().length === 0, {
    ...{ withinMs: patienceMs, everyMs: 200, seen: unnotified },
  });
  for (const member of members) {
    let wrong: readonly string[] = [];
    await until(
      `${member.name} has everything that was accepted, and each delivery, once`,
      async () => {
        wrong = await wrongAt(member, record, receiver.delivered);
        return wrong.length === 0;
      },
      { withinMs: patienceMs, everyMs: 300, seen: () => wrong.slice(0, 20) },
    );
  }
  assert.deepEqual(wrongDeliveries(receiver.delivered), []);
  assert.deepEqual(foreignDeliveries(environment, watch.seen), []);
  assert.deepEqual(watch.failures(), []);
  assert.ok(watch.seen.length > 0 && watch.leases.length > 0, "the watch saw the right and the lease");
  const marked = receiver.delivered.filter(({ isMarked }) => isMarked).length;
  const ids = new Set(receiver.delivered.map(({ id }) => id)).size;
  const refusals = [...record.refusals].map(([code, count]) => `${code || "no answer"} ${count}`).join(", ");
  return `${record.results.length} results, ${record.comments.length} comments, refused: ${refusals || "none"}; ${ids} notifications in ${receiver.delivered.length} messages, ${marked} marked; ${watch.leases.length} leases, ${new Set(watch.seen.map(({ term }) => term)).size} terms`;
}

const outputsOf = (messages: readonly DeliveredMessage[]): ReadonlySet<string> =>
  new Set(messages.flatMap(({ notifications }) => notifications.map(({ output }) => output)));
const missingFrom = (texts: readonly string[], found: ReadonlySet<string>): string[] =>
  texts.filter((text) => !found.has(text));

async function wrongAt(
  member: PairTestMember,
  { comments, results, told }: PairClientRecord,
  delivered: readonly DeliveredMessage[],
): Promise<readonly string[]> {
  const [rows, history] = await Promise.all([statusRows(member.program.base), historyOf(member)]);
  const texts = Object.values(rows).flatMap((row) => (row.comments ?? []).map(({ text }) => text));
  const own = history.filter(({ divergedFrom }) => divergedFrom === undefined);
  const ofType = (type: string) => own.filter((one) => one.type === `HISTORY_TYPE_${type}`);
  const notOnce = (what: string, expected: readonly string[], found: readonly string[]): string[] =>
    wrongCounts(expected, found).map(([text, count]) => `${what} "${text}" ${count} times: ${told.get(text) ?? ""}`);
  return [
    ...notOnce("comment", comments, texts),
    ...notOnce(
      "comment in the history",
      comments,
      ofType("COMMENT_ADDED").map(({ comment = "" }) => comment),
    ),
    ...notOnce(
      "state",
      results,
      ofType("STATE").map(({ output = "" }) => output),
    ),
    ...wrongRecords(ofType("NOTIFICATION"), delivered),
    ...notOnce(
      "history record",
      [...new Set(history.map(({ id }) => id))],
      history.map(({ id }) => id),
    ),
  ];
}

/**
 * Differences between the history and the receiver: for each host, contact and kind there is one record of each id that
 * was delivered, and as many have the mark as ids had it in one of their messages. The record has no id and no output.
 */
function wrongRecords(records: readonly HistoryJson[], delivered: readonly DeliveredMessage[]): string[] {
  const expected = new Map<string, string>();
  for (const { id, contact, isMarked, notifications } of delivered)
    for (const { kind, object } of notifications)
      if (isMarked || !expected.has(id)) expected.set(id, formatRecord(object.name, contact, kind, isMarked));
  const counts = new Map<string, number>();
  const count = (text: string, by: number): void => void counts.set(text, (counts.get(text) ?? 0) + by);
  for (const text of expected.values()) count(text, 1);
  for (const { object, contact = "", notificationKind = "", possibleDuplicate = false } of records)
    count(formatRecord(object?.host?.name, contact, notificationKind.replace(/^.*KIND_/, ""), possibleDuplicate), -1);
  return [...counts].flatMap(([text, more]) => {
    if (more === 0) return [];
    return [
      more > 0 ? `${more} deliveries of ${text} without a record` : `${-more} records of ${text} without a delivery`,
    ];
  });
}

const formatRecord = (host: string | undefined, contact: string, kind: string, isMarked: boolean): string =>
  `${kind} of ${host} to ${contact}${isMarked ? ", marked" : ""}`;

/** Texts that are not found exactly once, with their number. */
function wrongCounts(expected: readonly string[], found: readonly string[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) + 1);
  return expected.flatMap((text) => {
    const count = counts.get(text) ?? 0;
    return count === 1 ? [] : [[text, count] as const];
  });
}

/** Messages that repeat an id without the mark, or two ids of one notification. */
function wrongDeliveries(messages: readonly DeliveredMessage[]): string[] {
  const known = new Map<string, string>();
  const idByOutput = new Map<string, string>();
  return messages.flatMap(({ id, key, isMarked, notifications }) => {
    const wrong: string[] = [];
    if (key !== id) wrong.push(`${id} has the key ${key}`);
    const [first] = notifications;
    const output = first?.output ?? "";
    if (known.has(id) && !isMarked) wrong.push(`${id} "${output}" is repeated without the mark`);
    if (notifications.some(({ possibleDuplicate = false }) => possibleDuplicate !== isMarked))
      wrong.push(`${id} has header and entries that differ`);
    if ((idByOutput.get(output) ?? id) !== id)
      wrong.push(`"${output}" has the ids ${id} and ${idByOutput.get(output)}`);
    known.set(id, output);
    idByOutput.set(output, id);
    return wrong;
  });
}

/** Time in which what a frozen member had under way may arrive after it goes on, ms. */
const thawMs = 3_000;

/** Messages of a member that came while the other one had the right before and after. */
function foreignDeliveries({ members, receiver }: PairEnvironment, seen: readonly SeenActive[]): string[] {
  return receiver.delivered.flatMap(({ atMs, id, contact, notifications: [first] }) => {
    const sender = members.find(({ name }) => first?.url.startsWith(`http://${name}.test/`));
    if (sender === undefined) return [`${id} came from neither member: ${first?.url}`];
    const before = seen.findLast(({ answeredMs }) => answeredMs < atMs);
    const after = seen.find(({ sentMs }) => sentMs > atMs);
    if (before === undefined || before.member === sender.name || before.term !== after?.term) return [];
    const wasFrozen = sender.thawedAtMs.some((thawed) => atMs > thawed && atMs < thawed + thawMs);
    return wasFrozen ? [] : [`${id} to ${contact} came from ${sender.name} while ${JSON.stringify(before)}`];
  });
}
