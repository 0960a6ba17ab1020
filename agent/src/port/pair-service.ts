import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { unauthenticated } from "@realmwatch/shared/api/access/require-role";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { Result } from "@realmwatch/shared/model/result";
import { pairToProto } from "@realmwatch/shared/wire/pair-status";
import { isProven, otherSecret } from "../platform/link/sealed-frame.ts";
import type { EngineChannel } from "./port-contract.ts";

/**
 * PairService of a member of a pair. A frame without the proof of the secret is refused here, in the port's thread: no peer
 * without it costs the engine anything.
 */
export const pairService = (engine: EngineChannel, secret: Uint8Array): ServiceImpl<typeof PairService> => ({
  async get() {
    const status = await engine.request("pairStatus");
    if (status === undefined)
      throw toConnectError({ kind: "unconfigured", why: "this agent is not a member of a pair" });
    return { pair: pairToProto(status) };
  },
  switch: async (_, context) => pairOrThrow(await engine.request("switchPair", nameOf(context))),
  async promote({ force }, context) {
    if (!force)
      throw toConnectError({
        kind: "malformed",
        field: "force",
        why: "must be true: what the other member alone has may be lost",
      });
    return pairOrThrow(await engine.request("promotePair", nameOf(context), force));
  },
  async follow({ frame }) {
    if (!isProven(secret, frame)) throw unauthenticated(otherSecret);
    const answer = await engine.request("followPair", frame);
    if (!answer.ok) throw unauthenticated(answer.error);
    return { frame: new Uint8Array(answer.value) };
  },
});

/** Name of the caller for logs; empty without identities. */
const nameOf = (context: HandlerContext): string => callerOf(context).identity?.name ?? "";

function pairOrThrow(answer: Result<PairStatus, string>) {
  if (answer.ok) return { pair: pairToProto(answer.value) };
  throw toConnectError({ kind: "unconfigured", why: answer.error });
}
