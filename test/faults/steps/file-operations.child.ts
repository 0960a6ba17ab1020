import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { backUpJournal } from "@realmwatch/agent/journal/back-up-journal";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import {
  finishInterruptedReplace,
  replaceTextFile,
  writeFileAtomically,
} from "@realmwatch/agent/platform/files/text-file";
import { openAuditStore } from "@realmwatch/shared/audit/audit-store";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";

/** Program for tests to kill or to inject faults into: runs one file operation and prints each completed step on a line. */
// Calls on a file are traced by its name, so the random part of a new file's name has to be known.
crypto.randomBytes = ((size: number) => Buffer.alloc(size)) as typeof crypto.randomBytes;
syncBuiltinESMExports();

const [what = "", folder = "", arg = ""] = process.argv.slice(2);
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Prints `certain` for a step that succeeded, `refused` with the error for one that failed. */
function report<T>(name: string, answer: Result<T, Refusal | string>): void {
  print(answer.ok ? `certain ${name}` : `refused ${name} ${JSON.stringify(answer.error)}`);
}

const record = (text: string, atMs: number): AuditRecord => ({
  ...{ atMs, source: "api", peer: "", rpc: text, commandJson: "{}", outcome: "rejected" },
  ...{ requestId: "", onBehalfOf: "", reason: "", count: 1 },
});

const hourMs = 3_600_000;
const pause = (): Promise<void> => new Promise((go) => setImmediate(go));

/** Lets retention run, which deletes records older than an hour. */
async function trim(clock: ReturnType<typeof manualClock>): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    clock.advance(60_000);
    await pause();
  }
}

async function useJournal(): Promise<void> {
  const clock = manualClock(10 * hourMs);
  const limits = { historyRetentionMs: hourMs, auditRetentionMs: hourMs };
  const opened = await openJournal({ dataDir: folder, realm: "r", clock, ...limits });
  if (!opened.ok) return void print(`closed ${opened.error}`);
  const journal = opened.value;
  const { lastCommandSeq, missing } = await journal
    .recover(() => {})
    .catch((error: Error) => {
      print(`closed ${error.message}`);
      process.exit(0);
    });
  if (missing !== undefined) print(`gap ${JSON.stringify(missing)}`);
  const rounds = Number(arg || 3);
  for (let n = 1; n <= rounds; n += 1) {
    const text = `${lastCommandSeq + n}`;
    const command = { kind: "add_comment", ref: "web1", id: text, text } as const;
    const from = { atMs: clock.now(), author: "a", onBehalfOf: "" };
    report(`command ${text}`, await journal.accept({ ...from, command }, { audit: [record(text, n)] }));
    const history = [n, clock.now()].map((atMs) => ({ atMs, type: "config", comment: text }) as const);
    const states = [{ ref: `h${text}`, state: JSON.stringify({ text: text.repeat(500) }) }];
    report(
      `state h${text}`,
      await journal.append({ states, program: JSON.stringify({ text }), history, appliedCommandSeq: 0 }),
    );
    await trim(clock);
  }
  await journal.close();
}

/** Accepts several commands of different sizes at once, four times; then kills itself. */
async function burst(): Promise<void> {
  const opened = await openJournal({ dataDir: folder, realm: "r", clock: manualClock(0), historyRetentionMs: hourMs });
  if (!opened.ok) return void print(`closed ${opened.error}`);
  await opened.value.recover(() => {});
  for (let n = 1; n <= 4; n += 1)
    await Promise.all(
      [40_000, 20_000, 9_000, 10].map(async (length, at) => {
        const command = { kind: "add_comment", ref: "web1", id: `${n}.${at}`, text: "x".repeat(length) } as const;
        report(`burst ${command.id}`, await opened.value.accept({ atMs: 1, author: "a", onBehalfOf: "", command }));
      }),
    );
  process.kill(process.pid, "SIGKILL");
}

async function useAudit(): Promise<void> {
  const clock = manualClock(10 * hourMs);
  const opened = await openAuditStore({ dataDir: folder, retentionMs: hourMs, clock });
  if (!opened.ok) return void print(`closed ${opened.error}`);
  const store = opened.value;
  for (let n = 1; n <= 3; n += 1) {
    report(`record ${arg}${n}`, await store.audit([record("old", n), record(`${arg}${n}`, clock.now())]));
    await trim(clock);
  }
  await store.close();
}

const operations: Readonly<Record<string, () => Promise<void>>> = {
  journal: useJournal,
  audit: useAudit,
  burst,
  async snapshot() {
    report("file", await writeFileAtomically(`${folder}/file`, [arg, arg.repeat(40_000), arg]));
  },
  async backup() {
    report("file", await backUpJournal(`${folder}/data`, `${folder}/file`));
  },
  async config() {
    report("file", await replaceTextFile(`${folder}/file`, arg));
  },
  async finish() {
    await finishInterruptedReplace(`${folder}/file`);
    print("certain file");
  },
};
await operations[what]?.();
