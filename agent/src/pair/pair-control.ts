import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { Result } from "@realmwatch/shared/model/result";

/** Pair as the agent's port, metrics and heartbeat see it. */
export interface PairControl {
  /** State of the pair, with the times that remain now. */
  status(): PairStatus;
  /**
   * Hands the realm over to the other member, asked at either of them. Fails with a sentence when the standby is away or
   * not in sync.
   *
   * @param by identity that asks for it
   */
  switch(by: string): Promise<Result<PairStatus, string>>;
  /**
   * Makes this member active by hand. Fails with a sentence when the other member can be reached and is active, or
   * `force` is false.
   */
  promote(by: string, force: boolean): Promise<Result<PairStatus, string>>;
  /** Pair on the readiness page. */
  dependencies(readError: string): readonly DependencyStatus[];
  /** Answers a request of the other member. Fails with a sentence when the request does not prove the pair's secret. */
  follow(frame: Uint8Array): Promise<Result<Uint8Array, string>>;
}
