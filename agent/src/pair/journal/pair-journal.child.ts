import { readFileSync } from "node:fs";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { alertChangeOf } from "../../journal/journal.fixture.ts";
import { openJournal } from "../../journal/threads/open-journal.ts";
import { openFollowerStore } from "./follower-store.ts";
import { openJournalFollower } from "./journal-follower.ts";
import { relationOf } from "./journal-relation.ts";
import { JournalShipper } from "./journal-shipper.ts";
import { SnapshotSource } from "./snapshot-source.ts";

/**
 * Processes that tests kill; they talk to the test over IPC. `install DIR FILE`: a standby takes a snapshot from a file.
 * `active DIR TERM`: accepts commands continuously, sends `accepted` once each is answered, and answers the standby's
 * requests. `standby DIR`: follows, with requests that the test passes on.
 */
const [role, dataDir = "", more = ""] = process.argv.slice(2);
const send = (message: object): void => void process.send?.(message);
const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

if (role === "install") await install();
if (role === "active") await runActive();
if (role === "standby") await runStandby();

async function install(): Promise<void> {
  const store = openFollowerStore({ dataDir, realm: "r" });
  if (!store.ok) throw new Error(store.error);
  const bytes = readFileSync(more);
  const result = await store.value.takePiece({ id: "s", totalBytes: bytes.length, offset: 0, bytes });
  send({ result: result.kind });
  process.exit(0);
}

async function runActive(): Promise<void> {
  const shipper = new JournalShipper({ clock: systemClock });
  const opened = await openJournal({
    dataDir,
    realm: "r",
    historyRetentionMs: 1e12,
    clock: systemClock,
    pair: shipper,
  });
  if (!opened.ok) throw new Error(opened.error);
  const journal = opened.value;
  await journal.recover(() => {});
  const source = new SnapshotSource({ dataDir, clock: systemClock, shipper });
  process.on(
    "message",
    async (request: { end: Parameters<typeof relationOf>[0]; piece?: { id: string; offset: number } }) => {
      if (request.piece !== undefined) {
        const piece = await (request.piece.id === ""
          ? source.begin()
          : source.read(request.piece.id, request.piece.offset));
        return send({ answer: piece.ok ? { ...piece.value, bytes: toBase64(piece.value.bytes) } : {} });
      }
      if (relationOf(request.end, shipper.position()).kind === "diverged")
        return send({ answer: { kind: "snapshot" } });
      shipper.acknowledge(request.end.position);
      const tail = await shipper.next(request.end.position, 20);
      return send({ answer: tail.kind === "groups" ? { ...tail, lines: toBase64(tail.lines) } : tail });
    },
  );
  void journal.beginTerm(Number(more), "a");
  const produce = async (at: number): Promise<void> => {
    for (let i = 0; ; i++) {
      const text = `${more}.${at}.${i}`;
      const command = { kind: "add_comment", ref: "web1", id: text, text } as const;
      const from = { atMs: i, author: "a", onBehalfOf: "" };
      const accepted = await journal.accept({ ...from, command }, { alerts: [alertChangeOf(text)] });
      if (accepted.ok) send({ accepted: { seq: accepted.value.seq, text } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, at) => produce(at)));
}

async function runStandby(): Promise<void> {
  const opened = await openJournalFollower({ dataDir, realm: "r" });
  if (!opened.ok) throw new Error(opened.error);
  const follower = opened.value;
  let answer = (_: Readonly<Record<string, never>>): void => {};
  process.on("message", (message: { answer: Readonly<Record<string, never>> }) => answer(message.answer));
  // A request or an answer is lost with a killed active member, so that it is asked again.
  const ask = (request: object): Promise<Readonly<Record<string, never>>> =>
    new Promise((resolve) => {
      const cancel = systemClock.after(300, () => resolve({}));
      answer = (received) => {
        cancel();
        resolve(received);
      };
      send({ request });
    });
  for (;;) {
    const tail = await ask({ end: follower.position() });
    if (tail["kind"] === "groups") await follower.apply(fromBase64(tail["lines"] ?? ""), tail["cursors"] ?? []);
    if (tail["kind"] !== "snapshot") continue;
    let wanted = { id: "", offset: 0 };
    for (;;) {
      const piece = await ask({ end: follower.position(), piece: wanted });
      if (piece["bytes"] === undefined) break;
      const result = await follower.takePiece({
        ...(piece as never as object),
        bytes: fromBase64(piece["bytes"]),
      } as never);
      if (result.kind !== "waiting") break;
      wanted = { id: piece["id"] ?? "", offset: result.offset };
    }
  }
}
