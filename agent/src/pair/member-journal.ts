import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { AgentPortHost, ServedAgent } from "../port-host/agent-port-host.ts";
import type { Duty, DutyStart, StartDuty } from "./duty.ts";
import type { JournalFollower } from "./journal/journal-follower.ts";
import { JournalShipper } from "./journal/journal-shipper.ts";
import type { FollowClient } from "./link/follow-client.ts";
import type { ActiveParts } from "./link/follow-server.ts";
import type { PairRecord } from "./member/member-action.ts";
import type { JournalProgress, MemberEvent } from "./member/member-event.ts";
import type { JournalMark } from "./member/member-facts.ts";

export type MemberJournalOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly port: AgentPortHost;
  readonly follower: JournalFollower;
  /** Opens the journal for following again. */
  reopen(): Promise<Result<JournalFollower, string>>;
  readonly startDuty: StartDuty;
  /** Agent that the port serves while this member is not active. */
  readonly standby: ServedAgent;
  readonly client: () => FollowClient;
  happened(event: Extract<MemberEvent, { kind: "dutyStarted" | "dutyFailed" | "dutyStopped" }>): void;
};

/** Journal of a member: open for its agent while the member is active, and for following otherwise. */
export class MemberJournal {
  readonly #options: MemberJournalOptions;
  #follower: JournalFollower | undefined;
  #shipper: JournalShipper | undefined;
  #duty: Duty | undefined;
  #parts: ActiveParts | undefined;
  /** Until it has ended, the journal is not opened a second time. */
  #opening: Promise<void> = Promise.resolve();

  constructor(options: MemberJournalOptions) {
    this.#options = options;
    this.#follower = options.follower;
  }

  /** Undefined while the member is active. */
  get follower(): JournalFollower | undefined {
    return this.#follower;
  }

  /** Agent of the active member; undefined while none runs. */
  get duty(): Duty | undefined {
    return this.#duty;
  }

  /** Start of the last duty; resolves when it has succeeded or failed. */
  get opening(): Promise<void> {
    return this.#opening;
  }

  /** Parts that the standby follows, also after the end of the duty. */
  get parts(): ActiveParts | undefined {
    return this.#parts;
  }

  /** Forgets the parts of a duty: another member is active. */
  forgetParts(): void {
    this.#parts = undefined;
  }

  /** How far the standby is; undefined before the first duty. */
  progress(): JournalProgress | undefined {
    const shipper = this.#shipper;
    return (
      shipper && {
        position: shipper.lastPosition(),
        standbyPosition: Math.max(0, shipper.acknowledgedPosition()),
        laggingSinceMs: shipper.laggingSinceMs(),
      }
    );
  }

  acknowledge(alone: boolean): void {
    if (alone) this.#shipper?.runAlone();
    else this.#shipper?.runTogether();
  }

  /** Lets the engine go on without the standby, or no longer; clients are not answered. */
  setEngineAlone(alone: boolean): void {
    this.#shipper?.setEngineAlone(alone);
  }

  /** Starts the agent. What is to be noted meanwhile waits for the journal. */
  start(start: Omit<DutyStart, "shipper" | "verified" | "document">): void {
    // A term begins without a standby: the other member follows it only from now on.
    const shipper = new JournalShipper({ clock: this.#options.clock });
    shipper.runAlone();
    this.#shipper = shipper;
    this.#opening = this.#open(start, shipper);
  }

  async #open(start: Omit<DutyStart, "shipper" | "verified" | "document">, shipper: JournalShipper): Promise<void> {
    const { client, startDuty, happened } = this.#options;
    await client().pause();
    const document = this.#follower?.document();
    const verified = await this.#follower?.close();
    this.#follower = undefined;
    const started = await startDuty({ ...start, shipper, verified, document });
    if (started.ok) {
      this.#duty = started.value;
      this.#parts = started.value.parts;
      return happened({ kind: "dutyStarted" });
    }
    this.#shipper = undefined;
    await this.#followAgain();
    happened({ kind: "dutyFailed", why: started.error });
  }

  /** Ends the agent and follows. `isFenced`: another member is active, and confirms nothing of this one any more. */
  async stop(isFenced: boolean): Promise<void> {
    if (isFenced) this.#shipper?.end("this member is no longer active: the other one is");
    await this.#endDuty();
    await this.#followAgain();
    this.#options.happened({ kind: "dutyStopped", position: this.#follower?.position().position ?? 0 });
  }

  async #endDuty(): Promise<void> {
    const duty = this.#duty;
    this.#duty = undefined;
    await duty?.handOver();
  }

  /** Opens the journal for following, and serves as a standby. Tries again while the disk refuses. */
  async #followAgain(): Promise<void> {
    const { clock, log, port, standby, client } = this.#options;
    for (;;) {
      const opened = await this.#options.reopen();
      if (opened.ok) {
        this.#follower = opened.value;
        break;
      }
      log.error({ why: opened.error }, "pair: the journal cannot be opened for following; it is tried again");
      await new Promise<void>((resolve) => void clock.after(1_000, resolve));
    }
    await port.serve(standby);
    client().start();
  }

  /** Stores what the member notes for itself. Fails with a sentence. */
  async keep(mark: JournalMark): Promise<Result<unknown, string>> {
    const json = JSON.stringify(mark);
    await this.#opening;
    if (this.#follower !== undefined) return this.#follower.keepFacts(json);
    return this.#duty === undefined ? fail("the journal is being opened") : this.#duty.keepFacts(json);
  }

  /** Adds a record to the history, once the agent that is being started runs. */
  record({ kind, from, to, term, reason }: PairRecord): void {
    const type = recordTypes[kind];
    const entry = { atMs: this.#options.clock.now(), type, pair: { from, to, term, reason } };
    void this.#opening.then(() => this.#duty?.record(entry));
  }

  async close(): Promise<void> {
    await this.#endDuty();
    await this.#follower?.close();
  }
}

const recordTypes = {
  PAIR_TAKEOVER: "pair_takeover",
  PAIR_DEGRADED: "pair_degraded",
  PAIR_RECOVERED: "pair_recovered",
} as const;
