import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";

/** Time between two steps of a repair, ms. */
const stepEveryMs = 5_000;
/** Rounds after which a realm counts as not repairable without an operator. */
const maxRounds = 3;

type Repair = {
  rounds: number;
  nextStepMs: number;
  /** True when the realm's agent has to publish its rows again. */
  republish: boolean;
};

type RealmRepairOptions = {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly realms: () => Iterable<string>;
  /** True while a reachable realm's rows differ from what it has published. */
  readonly isBehind: (realm: string) => boolean;
  /** Reads the rows of a realm from the stream again. */
  readonly readAgain: (realm: string) => void;
  /** Called when a repair begins a round, has succeeded, or has failed for the last time. */
  readonly onRound: (realm: string, outcome: "started" | "repaired" | "failed") => void;
};

/**
 * Repairs realms that are behind, without an operator: first the rows are read from the stream again, then the agent is
 * asked to publish them again. After three rounds the realm stays behind, with an error in the log; the rounds go on,
 * because the cause may end.
 */
export function openRealmRepair(options: RealmRepairOptions) {
  const { clock, log, isBehind, readAgain, onRound } = options;
  const repairs = new Map<string, Repair>();
  let cancel = clock.after(stepEveryMs, stepAll);

  function stepAll(): void {
    for (const realm of options.realms()) step(realm);
    cancel = clock.after(stepEveryMs / 5, stepAll);
  }

  function step(realm: string): void {
    const repair = repairs.get(realm);
    if (!isBehind(realm)) {
      if (repair !== undefined) end(realm, repair);
      return;
    }
    if (repair !== undefined && clock.monotonic() < repair.nextStepMs) return;
    if (repair === undefined || repair.republish) return begin(realm, (repair?.rounds ?? 0) + 1);
    repair.republish = true;
    repair.nextStepMs = clock.monotonic() + stepEveryMs;
    log.warn({ realm, round: repair.rounds }, "repair: the realm's agent is asked to publish its rows again");
  }

  function begin(realm: string, rounds: number): void {
    repairs.set(realm, {
      rounds,
      republish: false,
      nextStepMs: clock.monotonic() + stepEveryMs * Math.min(rounds, 12),
    });
    onRound(realm, "started");
    if (rounds === maxRounds + 1) {
      onRound(realm, "failed");
      log.error({ realm, rounds: maxRounds }, "repair: the realm's rows still differ from what it has published");
    }
    log.warn({ realm, round: rounds }, "repair: rows differ from what the realm has published, reading them again");
    readAgain(realm);
  }

  function end(realm: string, { rounds }: Repair): void {
    repairs.delete(realm);
    onRound(realm, "repaired");
    log.info({ realm, rounds }, "repair: the realm's rows are those that it has published");
  }

  return {
    /** [FD4] True when the realm's agent has to publish its rows again. */
    wantsRepublication: (realm: string) => repairs.get(realm)?.republish ?? false,
    close: () => cancel(),
  };
}
