import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand, Command } from "@realmwatch/shared/model/command";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Author } from "../engine/author.ts";
import type { RealmState } from "../realm/state/realm-state.ts";

/** Number of commands that may wait for the engine; one more is refused. */
const queueLimit = 10_000;

export type CommandIntakeOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly journal: {
    accept(
      command: Omit<AcceptedCommand, "seq">,
      audit: readonly AuditRecord[],
    ): Promise<Result<AcceptedCommand, Refusal>>;
  };
  readonly loop: { readonly commandsWaiting: number; submitCommand(accepted: AcceptedCommand): void };
};

/**
 * Takes commands in: on disk first, then into the engine's queue. What a command makes or takes away
 * (comments, downtimes) counts from the moment it is accepted, so that the next call already knows.
 */
export class CommandIntake {
  readonly #options: CommandIntakeOptions;
  #accepting = 0;

  constructor(options: CommandIntakeOptions) {
    this.#options = options;
  }

  /** `audit` is kept together with the command, where it is accepted, and else not at all. */
  async submit(
    command: Command,
    by: Author,
    audit: readonly AuditRecord[] = [],
  ): Promise<Result<AcceptedCommand, Refusal>> {
    const { clock, journal, loop } = this.#options;
    if (this.#accepting + loop.commandsWaiting >= queueLimit)
      return fail({ kind: "exhausted", what: `${queueLimit} commands are waiting; try again in a moment` });
    const undo = this.#foresee(command);
    this.#accepting += 1;
    const accepted = await journal.accept({ atMs: clock.now(), ...by, command }, audit);
    this.#accepting -= 1;
    if (accepted.ok) loop.submitCommand(accepted.value);
    else undo();
    return accepted;
  }

  /** Puts ids that a command makes or deletes where the next request looks them up; answers what takes it back. */
  #foresee(command: Command): () => void {
    const { commentRefs, downtimeRefs } = this.#options.realm;
    switch (command.kind) {
      case "add_comment":
        commentRefs.set(command.id, command.ref);
        return () => commentRefs.delete(command.id);
      case "delete_comment":
        commentRefs.delete(command.id);
        return () => commentRefs.set(command.id, command.ref);
      case "schedule_downtime":
        for (const { id, ref } of command.downtimes) downtimeRefs.set(id, ref);
        return () => {
          for (const { id } of command.downtimes) downtimeRefs.delete(id);
        };
      case "delete_downtime":
        downtimeRefs.delete(command.id);
        return () => downtimeRefs.set(command.id, command.ref);
      default:
        return () => {};
    }
  }
}
