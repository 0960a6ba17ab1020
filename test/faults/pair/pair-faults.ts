import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { cutLink, cutNats, healthy, type PairEnvironment } from "./pair-environment.ts";
import { isActive, type PairTestMember, pairAt, promoteByForce, switchPair, wipe } from "./pair-member.ts";

type PairFault = { readonly name: string; run(): Promise<void> };

/** Longest time for which a fault lasts, ms: twice lease and margin. */
const longestMs = 9_000;

const pairOf = ({ program }: PairTestMember) => pairAt(program);

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
  /** A lease is lost. Only an active member can make it anew: one that dies before that leaves the pair to an operator. */
  const lost = async (lose: () => Promise<void>): Promise<void> => {
    await lose();
    await environment.leaseIsCurrent();
  };
  // On a loaded machine the promise may end first, which leaves the pair to an operator too.
  const someoneActs = () =>
    until("a member is active", async () => (await Promise.all(members.map(pairOf))).some(isActive), {
      withinMs: 20_000,
    });
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
    { name: "purge the lease", run: () => lost(() => environment.purgeLease()) },
    { name: "make the stream anew", run: () => lost(() => environment.remakeLease()) },
    {
      name: "give NATS an older copy",
      async run() {
        await environment.backUpNats();
        await lasting();
        await switchPair(random.oneOf(members)).catch(() => undefined);
        await roles();
        await lost(() => environment.restoreNats());
      },
    },
    {
      name: "lose the lease with the active member",
      async run() {
        const { active, standby } = await roles();
        await environment.remakeLease();
        await active.program.stop("SIGKILL");
        await promoteByForce(standby);
        await active.program.restart();
      },
    },
    {
      name: "lose the lease in a handover",
      async run() {
        const { active } = await roles();
        await environment.remakeLease();
        if (random.upTo(1) < 0.5) await active.program.restart();
        else await switchPair(active).catch(() => undefined);
        await someoneActs().catch(() => promoteByForce(random.oneOf(members)));
      },
    },
    { name: "restart NATS", run: () => nats.restart() },
    { name: "wipe the standby", run: async () => wipe((await roles()).standby) },
    { name: "wipe the active member", run: async () => wipe((await roles()).active) },
  ];
}
