import { programFlags } from "@realmwatch/shared/api/program-flags";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import type { NatsConnection } from "nats";

/** Flags of a sub-command that connects to NATS. */
export const natsFlags = {
  "nats-url": programFlags["nats-url"],
  "nats-creds": programFlags["nats-creds"],
  "nats-ca": programFlags["nats-ca"],
  "nats-cert": programFlags["nats-cert"],
  "nats-key": programFlags["nats-key"],
} as const;

type NatsCommandOptions = {
  /** Name of the sub-command. */
  readonly command: string;
  readonly values: FlagValues<typeof natsFlags>;
  readonly clock: Clock;
};
type CommandResult = Result<string, string | ProgramExit>;

/** Time in which a connection to NATS has to be established, ms. */
const connectWithinMs = 8_000;
const pollMs = 50;

/** Exit of a sub-command with an invalid command line: one line and code 2. */
export const subCommandUsageError = (message: string): { readonly ok: false; readonly error: ProgramExit } =>
  fail({ code: 2, lines: [`realmwatch-aggregator: ${message}`] });

/** Connects to NATS, runs `work` and disconnects. An error of NATS is the result, never an exception. */
export async function withNats(
  { command, values, clock }: NatsCommandOptions,
  work: (connection: NatsConnection) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (values.natsUrl === undefined) return subCommandUsageError(`${command} needs -nats-url`);
  const log = { info() {}, warn() {} };
  const url = values.natsUrl.reveal();
  const bus = openNatsBus({
    url,
    ...natsCredentialFiles(values),
    name: `realmwatch-aggregator ${command}`,
    clock,
    log,
  });
  try {
    const deadline = clock.monotonic() + connectWithinMs;
    while (bus.live() === undefined && clock.monotonic() < deadline) await sleep(clock, pollMs);
    const connection = bus.live();
    return connection ? await work(connection) : fail(`NATS is away: ${bus.connectionError()}`);
  } catch (error) {
    return fail(`NATS refused: ${errorText(error)}`);
  } finally {
    await bus.close();
  }
}
