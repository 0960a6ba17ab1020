import type { LineCommands } from "@realmwatch/shared/commands/command-line";
import { annotationChange, type Command } from "@realmwatch/shared/commands/commands";
import { parseCommandLine } from "@realmwatch/shared/commands/parse-command-line";
import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import type { AuditLog, AuditOutcome, AuditRecord } from "@realmwatch/shared/model/audit";
import { type Author, noAuthor } from "@realmwatch/shared/model/author";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { truncateText } from "@realmwatch/shared/text/truncate-text";
import type { CommandFileLine } from "../external-commands/line-splitter.ts";
import { whenRightFits } from "../platform/right/right-gate.ts";
import { type RightToAct, unlimitedRight } from "../platform/right/right-to-act.ts";
import type { RealmInputs } from "../realm/loop/realm-inputs.ts";
import type { CommandExecutorOptions } from "./command-executor.ts";
import { isHeldRefusal } from "./command-intake.ts";

type ExternalCommandIntakeOptions = Pick<CommandExecutorOptions, "clock" | "realm" | "intake" | "mintId"> & {
  /** Default: that of an agent without a pair. */
  readonly right?: RightToAct | undefined;
  readonly audit: AuditLog;
  readonly inputs: Pick<RealmInputs, "commandsWaiting">;
  readonly loop: {
    /** Resolves when every accepted command is applied. */
    settled(): Promise<void>;
  };
  /** Called for a line that was refused. */
  refused(name: string, why: string): void;
  counted(outcome: AuditOutcome, lines: number): void;
};

/** Number of results that share one command, and so one record on disk. */
const batchSize = 1000;
/** Number of result lines a minute with an audit record each. Beyond it a batch has one record. */
const ownRecords = 600;
const windowMs = 60_000;
/** Number of commands that may wait for the engine before further lines are held back. */
const mostWaiting = 50;
const pauseMs = 5;
/** Length at which an audit record cuts a line, UTF-16 units. */
const keptOfLine = 4096;

type ResultLine = { readonly name: string; readonly line: string; readonly result: PassiveResult };

/**
 * Submits the lines of the command file as the API submits calls: into the journal together with their audit records,
 * then into the engine's queue, in order. Consecutive results share a command. [PA42] Lines wait while the right to act has
 * ended.
 */
export class ExternalCommandIntake {
  readonly #options: ExternalCommandIntakeOptions;
  readonly #closing = new AbortController();
  #windowEndsMs = 0;
  #recordsLeft = ownRecords;

  constructor(options: ExternalCommandIntakeOptions) {
    this.#options = options;
  }

  /** Refuses from now on the lines that must wait for the right to act. */
  stopWaiting(): void {
    this.#closing.abort();
  }

  /** Resolves when every line is on disk or refused. Never rejects. */
  async take(lines: readonly CommandFileLine[]): Promise<void> {
    const { clock, inputs, loop } = this.#options;
    while (inputs.commandsWaiting > mostWaiting) await new Promise<void>((go) => clock.after(pauseMs, go));
    const submitted: Promise<void>[] = [];
    // A line may name a comment or downtime that an earlier line adds, by its number.
    const creating: Promise<void>[] = [];
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
      const parsed = parseCommandLine(text);
      if (!parsed.ok) {
        this.#refuse(parsed.error.name, text, parsed.error.why);
        continue;
      }
      const { name, after } = parsed.value;
      if (after !== undefined) flush();
      if (after === "stored") await Promise.all(creating.splice(0));
      if (after === "applied") {
        await Promise.all(submitted);
        await loop.settled();
      }
      const resolved = parsed.value.resolve(this.#options);
      if (!resolved.ok) {
        this.#refuse(name, text, `${name}: ${resolved.error}`);
        continue;
      }
      const [first] = resolved.value.commands;
      if (first?.kind === "process_check_results") {
        for (const result of first.results) batch.push({ name, line: text, result });
        if (batch.length >= batchSize) flush();
      } else {
        flush();
        const submission = this.#submit(name, text, resolved.value);
        submitted.push(submission);
        if (first !== undefined && annotationChange(first)?.change === "add") creating.push(submission);
      }
    }
    flush();
    await Promise.all(submitted);
  }

  async #submit(name: string, line: string, { commands, by }: LineCommands<Command>): Promise<void> {
    const { audit, counted } = this.#options;
    const accepted = this.#record(name, line, "accepted");
    if (commands.length === 0) {
      counted("accepted", 1);
      return audit.add(accepted);
    }
    const answers = await Promise.all(
      commands.map((one, at) => this.#submitInTurn(one, by, at === 0 ? [accepted] : [])),
    );
    const failed = answers.find((answer) => !answer.ok);
    if (failed?.ok === false) this.#fail([{ name, line }], formatRefusal(failed.error));
    else counted("accepted", 1);
  }

  async #submitResults(batch: readonly ResultLine[]): Promise<void> {
    const { counted } = this.#options;
    const results = batch.map(({ result }) => result);
    const audit = this.#recordsOf(batch);
    const answer = await this.#submitInTurn({ kind: "process_check_results", results }, noAuthor, audit);
    if (answer.ok) counted("accepted", batch.length);
    else this.#fail(batch, formatRefusal(answer.error));
  }

  /** Submits a command, as soon as the right to act permits. */
  async #submitInTurn(command: Command, by: Author, audit: readonly AuditRecord[]) {
    const { intake, right = unlimitedRight } = this.#options;
    for (;;) {
      const answer = await intake.submit(command, by, { audit });
      if (answer.ok || !isHeldRefusal(answer.error)) return answer;
      if (!(await whenRightFits(right, 0, this.#closing.signal))) return answer;
    }
  }

  /** Audit records: one a line while lines are few, else one for all with the first line and their number. */
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
    void audit.add({ ...this.#record(name, line, "rejected"), reason: truncateText(why, keptOfLine) });
  }

  /** Records lines that were lost because the disk takes no writes or too many commands wait. */
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
      commandJson: JSON.stringify({ line: truncateText(line, keptOfLine) }),
      outcome,
      requestId: "",
      onBehalfOf: "",
      reason: "",
      count: 1,
    };
  }
}
