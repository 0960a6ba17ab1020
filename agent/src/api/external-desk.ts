import type { Audit, AuditOutcome, AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { PassiveResult } from "@realmwatch/shared/model/command";
import { showRefusal } from "@realmwatch/shared/model/refusal";
import { cutText } from "@realmwatch/shared/text/cut-text";
import { nobody } from "../engine/annotations/apply-annotation.ts";
import { parseLine } from "../external-commands/parse-line.ts";
import type { RawLine } from "../external-commands/split-lines.ts";
import type { RealmState } from "../realm/realm-state.ts";
import type { CommandDesk } from "./command-desk.ts";
import { resolveCommand, resolveResult } from "./external-commands.ts";

export type ExternalDeskOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly desk: Pick<CommandDesk, "submit">;
  readonly mintId: () => string;
  readonly audit: Audit;
  readonly loop: {
    readonly commandsWaiting: number;
    /** Resolves when everything that was accepted is applied. */
    settled(): Promise<void>;
  };
  /** A line was not taken. */
  refused(name: string, why: string): void;
  counted(outcome: AuditOutcome, lines: number): void;
};

/** Results that share a command, and so one record on the disk. */
const batchSize = 1000;
/** Lines with a result that get an audit record of their own, within a minute. Beyond it a batch has one. */
const ownRecords = 600;
const windowMs = 60_000;
/** Commands that may wait for the engine before further lines do. */
const mostWaiting = 50;
const pauseMs = 5;
/** What an audit record keeps of a line, UTF-16 units. */
const keptOfLine = 4096;

type ResultLine = { readonly name: string; readonly line: string; readonly result: PassiveResult };

/**
 * Takes the lines of the command file as the API takes calls: into the journal together with their audit records, then
 * into the engine's queue, in order. Results that follow each other share a command.
 */
export class ExternalDesk {
  readonly #options: ExternalDeskOptions;
  #windowEndsMs = 0;
  #recordsLeft = ownRecords;

  constructor(options: ExternalDeskOptions) {
    this.#options = options;
  }

  /** Resolves when all of the lines are on disk or refused. Never rejects. */
  async take(lines: readonly RawLine[]): Promise<void> {
    const { clock, loop } = this.#options;
    while (loop.commandsWaiting > mostWaiting) await new Promise<void>((go) => clock.after(pauseMs, go));
    const submitted: Promise<void>[] = [];
    let batch: ResultLine[] = [];
    const flush = (): void => {
      if (batch.length > 0) submitted.push(this.#submitResults(batch));
      batch = [];
    };
    for (const { text, tooLong } of lines) {
      if (tooLong) {
        this.#refuse("", text, "is longer than 128 KiB");
        continue;
      }
      const parsed = parseLine(text);
      if (!parsed.ok) this.#refuse(parsed.error.name, text, parsed.error.why);
      else if (parsed.value.command.kind === "result") {
        const { name, atMs, command } = parsed.value;
        const result = resolveResult(this.#options.realm, command, atMs);
        if (result.ok) batch.push({ name, line: text, result: result.value });
        else this.#refuse(name, text, `${name}: ${result.error}`);
        if (batch.length === batchSize) flush();
      } else {
        flush();
        if (parsed.value.command.kind === "delete_downtimes") {
          // What is deleted by its contents has to be there first.
          await Promise.all(submitted);
          await loop.settled();
        }
        submitted.push(this.#submit(parsed.value.name, text, parsed.value.command));
      }
    }
    flush();
    await Promise.all(submitted);
  }

  async #submit(name: string, line: string, command: Parameters<typeof resolveCommand>[0]): Promise<void> {
    const { desk, audit, counted } = this.#options;
    const resolved = resolveCommand(command, this.#options);
    if (!resolved.ok) return this.#refuse(name, line, `${name}: ${resolved.error}`);
    const { commands, by } = resolved.value;
    const accepted = this.#record(name, line, "accepted");
    if (commands.length === 0) {
      counted("accepted", 1);
      return audit.add(accepted);
    }
    const answers = await Promise.all(commands.map((one, at) => desk.submit(one, by, at === 0 ? [accepted] : [])));
    const failed = answers.find((answer) => !answer.ok);
    if (failed?.ok === false) this.#fail([{ name, line }], showRefusal(failed.error));
    else counted("accepted", 1);
  }

  async #submitResults(batch: readonly ResultLine[]): Promise<void> {
    const { desk, counted } = this.#options;
    const results = batch.map(({ result }) => result);
    const answer = await desk.submit({ kind: "process_check_results", results }, nobody, this.#recordsOf(batch));
    if (answer.ok) counted("accepted", batch.length);
    else this.#fail(batch, showRefusal(answer.error));
  }

  /** One record a line while there are few; then one for all, with the first line and their number. */
  #recordsOf(batch: readonly ResultLine[]): readonly AuditRecord[] {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs >= this.#windowEndsMs) [this.#windowEndsMs, this.#recordsLeft] = [nowMs + windowMs, ownRecords];
    if (batch.length <= this.#recordsLeft) {
      this.#recordsLeft -= batch.length;
      return batch.map(({ name, line }) => this.#record(name, line, "accepted"));
    }
    this.#recordsLeft = 0;
    const [first] = batch;
    return first === undefined ? [] : [{ ...this.#record(first.name, first.line, "accepted"), count: batch.length }];
  }

  #refuse(name: string, line: string, why: string): void {
    const { audit, refused, counted } = this.#options;
    refused(name, why);
    counted("rejected", 1);
    void audit.add({ ...this.#record(name, line, "rejected"), reason: cutText(why, keptOfLine) });
  }

  /** The disk takes nothing, or too much waits: the lines are gone, and the record says so. */
  #fail(lines: readonly { readonly name: string; readonly line: string }[], why: string): void {
    const { audit, refused, counted } = this.#options;
    const [first] = lines;
    if (first === undefined) return;
    refused(first.name, why);
    counted("failed", lines.length);
    const record = this.#record(first.name, first.line, "failed");
    void audit.add({ ...record, reason: why, count: lines.length });
  }

  #record(name: string, line: string, outcome: AuditOutcome): AuditRecord {
    return {
      atMs: this.#options.clock.now(),
      source: "extcmd",
      peer: "",
      rpc: name,
      commandJson: JSON.stringify({ line: cutText(line, keptOfLine) }),
      outcome,
      requestId: "",
      onBehalfOf: "",
      reason: "",
      count: 1,
    };
  }
}
