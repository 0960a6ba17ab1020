import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { alertChangeOf } from "./journal.fixture.ts";
import { openJournal } from "./threads/open-journal.ts";

/**
 * Process that tests kill. Accepts commands continuously, eight at a time, and prints `accepted <seq> <comment>` once
 * each is durable. Every tenth is applied together with a history record.
 */
const [dataDir = "", firstComment = "0"] = process.argv.slice(2);
const opened = await openJournal({
  dataDir,
  realm: "r",
  historyRetentionMs: 3_600_000,
  clock: systemClock,
});
if (!opened.ok) {
  process.stdout.write(`refused ${opened.error}\n`);
  process.exit(1);
}
const journal = opened.value;
await journal.recover(() => {});
let next = Number(firstComment);

async function produce(): Promise<void> {
  for (;;) {
    const text = String(next++);
    const command = { kind: "add_comment", ref: "web1", id: text, text } as const;
    const accepted = await journal.accept(
      { atMs: 1, author: "a", onBehalfOf: "", command },
      { alerts: [alertChangeOf(text)] },
    );
    if (!accepted.ok) throw new Error(JSON.stringify(accepted.error));
    const { seq } = accepted.value;
    process.stdout.write(`accepted ${seq} ${text}\n`);
    if (seq % 10 === 0) await apply(seq);
  }
}

async function apply(seq: number): Promise<void> {
  const appended = await journal.append({
    states: [{ ref: `applied${seq}`, state: String(seq) }],
    program: undefined,
    history: [{ atMs: seq, type: "comment_added", key: { kind: "host", name: "web1" }, commentId: String(seq) }],
    appliedCommandSeq: 0,
  });
  if (appended.ok) process.stdout.write(`appended ${seq} ${appended.value.lastHistorySeq}\n`);
}

await Promise.all(Array.from({ length: 8 }, produce));
