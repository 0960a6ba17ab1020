import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import {
  cutLink,
  cutNats,
  healthy,
  type PairEnvironment,
  type PairTestMember,
  switchPair,
  wipe,
} from "./pair-environment.ts";

type PairFault = { readonly name: string; run(): Promise<void> };

/** Longest time for which a fault lasts, ms: twice lease and margin. */
const longestMs = 9_000;

/** Faults of a pair, each of which ends with everything healed. The pair is healthy when one begins. */
export function pairFaults(environment: PairEnvironment, random: SeededRandom): [PairFault, ...PairFault[]] {
  const { members, nats } = environment;
  const roles = () => healthy(environment);
  const lasting = () => sleep(random.upTo(longestMs));
  const during = async (begin: () => unknown): Promise<void> => {
    begin();
    await lasting();
    environment.healLinks();
  };
  const killed = async ({ program }: PairTestMember): Promise<void> => {
    await program.stop("SIGKILL");
    await lasting();
    await program.restart();
  };
  const frozen = async (member: PairTestMember): Promise<void> => {
    member.freeze();
    await lasting();
    member.thaw();
  };
  const direction = () => random.oneOf(["toServer", "toClient"]);
  return [
    { name: "kill the active member", run: async () => killed((await roles()).active) },
    { name: "kill the standby", run: async () => killed((await roles()).standby) },
    { name: "freeze the active member", run: async () => frozen((await roles()).active) },
    { name: "freeze the standby", run: async () => frozen((await roles()).standby) },
    { name: "stop the active member", run: async () => (await roles()).active.program.restart() },
    // A switch that a loaded machine is too slow for is given up.
    { name: "switch", run: async () => switchPair(random.oneOf(members)).catch(() => undefined) },
    { name: "cut the link", run: () => during(() => cutLink(environment)) },
    {
      name: "cut the link in one direction",
      run: () => during(() => random.oneOf(members).inward.setLink({ cut: direction() })),
    },
    { name: "cut NATS", run: () => during(() => cutNats(environment)) },
    {
      name: "cut NATS of one member in one direction",
      run: () => during(() => random.oneOf(members).nats.setLink({ cut: direction() })),
    },
    {
      name: "cut both",
      run: () =>
        during(() => {
          cutNats(environment);
          cutLink(environment);
        }),
    },
    {
      name: "cut off the active member",
      async run() {
        const { active } = await roles();
        await during(() => {
          active.nats.setLink({ cut: "both" });
          cutLink(environment);
        });
      },
    },
    { name: "slow link", run: () => during(() => random.oneOf(members).inward.setLink({ delayMs: 150 })) },
    { name: "purge the lease", run: () => environment.purgeLease() },
    { name: "make the stream anew", run: () => environment.remakeLease() },
    { name: "restart NATS", run: () => nats.restart() },
    { name: "wipe the standby", run: async () => wipe((await roles()).standby) },
    { name: "wipe the active member", run: async () => wipe((await roles()).active) },
  ];
}
