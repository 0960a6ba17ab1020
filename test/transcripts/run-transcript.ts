import { buildRow } from "@realmwatch/agent/engine/state/object-row";
import { type OpenRealm, recoverRealm } from "@realmwatch/agent/realm/open-realm";
import type { ReadonlyRecord } from "@realmwatch/agent/realm/state/realm-reader";
import type { Command } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { never } from "@realmwatch/shared/model/never";
import { outcome } from "@realmwatch/shared/model/outcome";
import { ok } from "@realmwatch/shared/model/result";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { formatHistoryEntry, formatTranscriptTime } from "./format-entry.ts";
import { formatRow } from "./format-row.ts";
import { memoryJournal } from "./memory-journal.ts";
import { type ParsedAction, parseAction } from "./parse-action.ts";
import { staleFields } from "./stale-fields.ts";
import type { Transcript, TranscriptAction } from "./transcript-file.ts";

/** Start of every transcript: a Monday, 08:00 UTC. */
const transcriptStartMs = Date.UTC(2026, 2, 2, 8);

type Answer = { readonly status: CheckStatus; readonly output: string };

/** Clock of one run of the agent: after `end`, which simulates a kill, its timers never fire. */
function runClockOf(clock: Clock) {
  let alive = true;
  const life: Clock = { ...clock, after: (ms, wake) => clock.after(ms, () => (alive ? wake() : undefined)) };
  const end = (): void => {
    alive = false;
  };
  return { life, end };
}

/**
 * Runs a transcript on a real realm with scheduler, engine and loop. The transcript controls the clock and the results
 * of checks.
 *
 * @returns each action with its output
 */
export async function runTranscript(
  transcript: Transcript,
  planOf: (config: string) => Promise<RealmPlan>,
): Promise<readonly (readonly [action: TranscriptAction, lines: readonly string[]])[]> {
  const clock = manualClock(transcriptStartMs);
  const answers = new Map<string, Answer>();
  const durations = new Map<string, number>();
  let lines: string[] = [];
  let shown: "checks" | "notifications" | "everything" = "notifications";
  let ids = 0;
  // A restart is a line of the transcript itself, so its record is left out.
  const isShown = ({ type, stoppedAtMs }: HistoryEntry): boolean =>
    stoppedAtMs === undefined && (shown !== "checks" || type !== "state");
  const journal = memoryJournal((entry) => {
    if (isShown(entry)) lines.push(formatHistoryEntry(entry, transcriptStartMs));
  });
  let plan = await planOf(transcript.config);
  let open: OpenRealm;
  let end = (): void => {};

  const say = (text: string): void =>
    void lines.push(`${formatTranscriptTime(clock.now(), transcriptStartMs)} ${text}`);

  const recovered = (life: Clock) =>
    recoverRealm({ name: "fra", plan, clock: life, epoch: 1, stored: journal.stored() });
  const commonOptions = { zones: new Set(["default"]), source: "fra", maxConcurrentChecks: 1024 };

  /** Records that an agent would restore if it were killed and started now. */
  async function restoredRecords(): Promise<ReadonlyMap<string, ReadonlyRecord>> {
    const { realm } = await recovered(runClockOf(clock).life).open({
      ...commonOptions,
      journal: { append: async () => ok({ lastHistorySeq: 0 }) },
      run: () => new Promise(() => {}),
      listeners: {
        ...{
          rowsChanged() {},
          catalogChanged() {},
          historyAdvanced() {},
          notify() {},
          handle() {},
          journalFailed() {},
        },
        ...{ journalHealed() {}, resultDropped() {}, checkEnded() {} },
      },
    });
    return realm.records;
  }

  async function start(): Promise<void> {
    const { life, end: endLife } = runClockOf(clock);
    end = endLife;
    open = await recovered(life).open({
      ...commonOptions,
      journal: journal.journal,
      async run({ ref }) {
        if (shown !== "notifications") say(`${ref} is checked`);
        const executionMs = durations.get(ref) ?? 0;
        const { status, output } = answers.get(ref) ?? { status: "ok", output: "" };
        if (executionMs > 0) await new Promise<void>((go) => life.after(executionMs, go));
        return { ...outcome(status, output), executionMs };
      },
      listeners: {
        rowsChanged: () => {},
        catalogChanged: () => {},
        historyAdvanced: () => {},
        notify: () => {},
        handle: (calls) => {
          for (const {
            plan: { ref },
            names,
          } of calls)
            say(`${ref}: runs ${names.join(", then ")}`);
        },
        journalFailed: () => {},
        journalHealed: () => {},
        resultDropped: (why) => say(`a result is dropped: ${why}`),
        checkEnded: () => {},
      },
    });
    open.start();
    await settle();
  }

  /** Processes everything that is due now. A plain loop, because days have tens of thousands of moments. */
  async function settle(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.nextInMs() <= 0) clock.advance(0);
      else if (open.loop.inputsWaiting > 0) await open.loop.settled();
      else return;
    }
  }

  async function advance(ms: number): Promise<void> {
    const untilMs = clock.monotonic() + ms;
    for (;;) {
      const nextInMs = clock.nextInMs();
      const leftMs = untilMs - clock.monotonic();
      clock.advance(Math.min(nextInMs, leftMs));
      await settle();
      if (nextInMs > leftMs) return;
    }
  }

  function apply(author: string, command: Command): Promise<void> {
    open.inputs.submitCommand(journal.accept({ atMs: clock.now(), author, onBehalfOf: "", command }));
    return settle();
  }

  async function perform(action: ParsedAction, { more }: TranscriptAction): Promise<void> {
    switch (action.kind) {
      case "advance":
        return advance(action.ms);
      case "jump":
        return clock.jumpWall(action.ms);
      case "is":
        return void answers.set(action.ref, action);
      case "turns":
        answers.set(action.ref, action);
        return apply("ann", { kind: "schedule_check", refs: [action.ref] });
      case "takes":
        return void durations.set(action.ref, action.ms);
      case "command":
        return apply(action.author, action.command);
      case "restart":
        end();
        if (action.afterMs > 0) clock.advance(action.afterMs);
        if (more.length > 0) plan = await planOf(more.join("\n"));
        return start();
      case "reload":
        plan = await planOf(more.join("\n"));
        await Promise.all([open.swap(plan), settle()]);
        return settle();
      case "show":
        shown = action.what;
        return;
      case "row": {
        const record = open.realm.records.get(action.ref);
        if (record === undefined) return say(`there is no ${action.ref}`);
        const inherited = open.realm.suppressionOf(record, clock.now());
        const row = buildRow(record.plan, record.state, { inherited, epoch: 1, revision: 1 });
        return void lines.push(...formatRow(row, transcriptStartMs).map((line) => `  ${line}`));
      }
      case "compare": {
        const records = await restoredRecords();
        for (const { plan: object, state } of open.realm.records.values()) {
          const stale = staleFields(records.get(object.ref)?.state, state, journal.states().has(object.ref));
          if (stale.length > 0) lines.push(`  ${object.ref}: ${stale.join(", ")}`);
        }
        return;
      }
      default:
        return never(action);
    }
  }

  await start();
  const outputs: [TranscriptAction, readonly string[]][] = [];
  for (const action of transcript.actions) {
    lines = [];
    const newId = (): string => {
      ids += 1;
      return `n${ids}`;
    };
    await perform(parseAction(action.text, { nowMs: clock.now(), newId }), action);
    outputs.push([action, lines]);
  }
  end();
  return outputs;
}
