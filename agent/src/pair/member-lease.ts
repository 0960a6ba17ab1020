import { fail } from "@realmwatch/shared/model/result";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { LeaseStore } from "./lease/lease-store.ts";
import type { MemberAction } from "./member/member-action.ts";
import type { MemberEvent, MemberTime } from "./member/member-event.ts";

export type MemberLeaseOptions = {
  readonly bus: NatsBus;
  readonly leases: LeaseStore;
  /** Name of this member. */
  readonly member: string;
  readonly now: () => MemberTime;
  readonly happened: (event: MemberEvent) => void;
};

/** Reads and writes the lease for a member, which learns the outcome as an event. */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  #previousInstance = "";

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
  }

  /** Instance of the other member that held the lease last; empty when none is known. */
  get previousInstance(): string {
    return this.#previousInstance;
  }

  /** Reports that the connection to NATS was lost, until the returned function is called. */
  watch(): () => void {
    const { bus, now, happened } = this.#options;
    return bus.onDown(() => happened({ kind: "leaseRead", sentAt: now(), reading: connectionLost }));
  }

  async read(): Promise<void> {
    const { bus, leases, member, now, happened } = this.#options;
    const sentAt = now();
    const connections = bus.connections();
    const read = await leases.read();
    const isSame = bus.connections() === connections && bus.live() !== undefined;
    const reading = read.ok && !isSame ? connectionLost : read;
    if (reading.ok && reading.value.lease !== undefined && reading.value.lease.member !== member)
      this.#previousInstance = reading.value.lease.instance;
    happened({ kind: "leaseRead", sentAt, reading });
  }

  async write({ lease, expectedSeq }: Extract<MemberAction, { kind: "writeLease" }>): Promise<void> {
    const { leases, now, happened } = this.#options;
    const sentAt = now();
    const writing = await leases.write(lease, expectedSeq);
    happened({ kind: "leaseWritten", sentAt, writing });
  }
}

const connectionLost = fail("the connection to NATS was lost");
