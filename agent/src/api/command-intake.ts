import type { AuditCounts } from "@realmwatch/shared/audit/audit-counters";
import type { AcceptedCommand, Command } from "@realmwatch/shared/commands/commands";
import type { Author } from "@realmwatch/shared/model/author";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { CommandRecords } from "../journal/journal-contract.ts";
import { type RightToAct, unlimitedRight } from "../platform/right/right-to-act.ts";
import type { RealmInputs } from "../realm/loop/realm-inputs.ts";
import type { CommandLimits } from "./command-limits.ts";

/** Number of commands that may wait for the engine; one more is refused. */
export const commandQueueCapacity = 10_000;

type CommandIntakeOptions = {
  readonly clock: Clock;
  /** Default: that of an agent without a pair. */
  readonly right?: RightToAct | undefined;
  readonly limits: Pick<CommandLimits, "reserve">;
  readonly journal: {
    accept(command: Omit<AcceptedCommand, "seq">, records: CommandRecords): Promise<Result<AcceptedCommand, Refusal>>;
  };
  readonly inputs: Pick<RealmInputs, "commandsWaiting" | "submitCommand">;
};

/** Beginning of each refusal for want of the right to act. */
const heldPrefix = "held: ";

/** [PA42] Refusal of a command while the right to act has ended; undefined while it lasts. Nothing was done then. */
export function heldRefusal(right: RightToAct): Refusal | undefined {
  if (right.remainingMs() > 0) return undefined;
  const why = right.whyEnded?.() ?? "the other member of the pair may be active";
  return { kind: "unavailable", what: `${heldPrefix}this agent's right to act has ended: ${why}; nothing was done` };
}

export const isHeldRefusal = (refusal: Refusal): boolean =>
  refusal.kind === "unavailable" && refusal.what.startsWith(heldPrefix);

/**
 * Accepts commands: writes each to the journal, then hands it to the realm loop. Comments and downtimes that it adds or
 * deletes count for other requests only from then on, because the journal may refuse it.
 */
export class CommandIntake {
  readonly #options: CommandIntakeOptions;
  #accepting = 0;

  constructor(options: CommandIntakeOptions) {
    this.#options = options;
  }

  /** Accepts one command and its records. */
  async submit(command: Command, by: Author, records: CommandRecords = {}): Promise<Result<AcceptedCommand, Refusal>> {
    const { clock, limits, journal, inputs, right = unlimitedRight } = this.#options;
    const held = heldRefusal(right);
    if (held !== undefined) return fail(held);
    if (this.#accepting + inputs.commandsWaiting >= commandQueueCapacity)
      return fail({ kind: "exhausted", what: `${commandQueueCapacity} commands are waiting; try again in a moment` });
    const reserved = limits.reserve(command, by);
    if (!reserved.ok) return reserved;
    this.#accepting += 1;
    const accepted = await journal.accept({ atMs: clock.now(), ...by, command }, records);
    this.#accepting -= 1;
    if (accepted.ok) inputs.submitCommand(accepted.value);
    reserved.value(accepted.ok);
    return accepted;
  }
}

/** Journal of commands that counts the audit records that are written with them. */
export function countedAudit({
  accept,
}: CommandIntakeOptions["journal"]): CommandIntakeOptions["journal"] & AuditCounts {
  let written = 0;
  let failedWrites = 0;
  return {
    async accept(command, records) {
      const accepted = await accept(command, records);
      const { audit = [] } = records;
      if (accepted.ok) written += audit.length;
      else if (audit.length > 0 && accepted.error.kind === "unavailable") failedWrites += 1;
      return accepted;
    },
    written: () => written,
    failedWrites: () => failedWrites,
  };
}
