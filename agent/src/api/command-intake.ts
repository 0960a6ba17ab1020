import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand, Command } from "@realmwatch/shared/model/command";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Author } from "../engine/author.ts";

/** Number of commands that may wait for the engine; one more is refused. */
const queueLimit = 10_000;

export type CommandIntakeOptions = {
  readonly clock: Clock;
  readonly journal: {
    accept(
      command: Omit<AcceptedCommand, "seq">,
      audit: readonly AuditRecord[],
    ): Promise<Result<AcceptedCommand, Refusal>>;
  };
  readonly loop: {
    readonly commandsWaiting: number;
    announceCommand(command: Command): () => void;
    submitCommand(accepted: AcceptedCommand): void;
  };
};

/**
 * Accepts commands: writes each to the journal, then hands it to the realm loop. Each is announced to the loop first,
 * so that comments and downtimes that it adds or deletes count for the next request already.
 */
export class CommandIntake {
  readonly #options: CommandIntakeOptions;
  #accepting = 0;

  constructor(options: CommandIntakeOptions) {
    this.#options = options;
  }

  /** Accepts one command. Its audit records are written with it in one transaction, or not at all when it is refused. */
  async submit(
    command: Command,
    by: Author,
    audit: readonly AuditRecord[] = [],
  ): Promise<Result<AcceptedCommand, Refusal>> {
    const { clock, journal, loop } = this.#options;
    if (this.#accepting + loop.commandsWaiting >= queueLimit)
      return fail({ kind: "exhausted", what: `${queueLimit} commands are waiting; try again in a moment` });
    const undoAnnouncement = loop.announceCommand(command);
    this.#accepting += 1;
    const accepted = await journal.accept({ atMs: clock.now(), ...by, command }, audit);
    this.#accepting -= 1;
    if (accepted.ok) loop.submitCommand(accepted.value);
    else undoAnnouncement();
    return accepted;
  }
}
