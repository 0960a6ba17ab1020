import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { ReachedAgentSchema } from "@realmwatch/proto/svc/v1/realm_pb";
import { realmHeader } from "../../model/idempotency-key.ts";
import { instanceHeader } from "../../platform/rpc/rpc-deadline.ts";

/** Program that answers calls. */
export type CalledProgram = {
  /** Realm of an agent; empty for an aggregator, which answers no call that names a realm. */
  readonly realm: string;
  /** Id of the process. */
  readonly instance: string;
  /** Id of the process that it succeeds; empty when there is none. */
  readonly previousInstance: string;
};

/**
 * [FD85, FD86] Throws `failed_precondition` for a call that names another realm or another process than this one. A
 * call without these headers is for the program that it reaches.
 *
 * @param uptimeMs time since the start of this process on its monotonic clock, ms
 */
export function refuseOtherTarget({ requestHeader }: HandlerContext, own: CalledProgram, uptimeMs: number): void {
  const realm = requestHeader.get(realmHeader) ?? own.realm;
  const instance = requestHeader.get(instanceHeader) ?? own.instance;
  if (realm === own.realm && instance === own.instance) return;
  const why =
    realm === own.realm
      ? `the call is for instance ${shortened(instance)} of the realm's agent and was not executed`
      : `the call is for realm ${JSON.stringify(shortened(realm))} and was not executed`;
  throw new ConnectError(`this is ${nameOf(own)}: ${why}`, Code.FailedPrecondition, undefined, [
    { desc: ReachedAgentSchema, value: { ...own, uptimeMs: BigInt(Math.floor(uptimeMs)) } },
  ]);
}

const nameOf = ({ realm, instance }: CalledProgram): string =>
  realm === "" ? "an aggregator" : `the agent of realm ${JSON.stringify(realm)}, instance ${instance}`;

/** Longest part of a header in a message, UTF-16 units. */
const maxQuoted = 80;
const shortened = (text: string): string => text.slice(0, maxQuoted);
