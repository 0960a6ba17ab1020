import type { ServiceImpl } from "@connectrpc/connect";
import type { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { EngineChannel } from "./port-contract.ts";

export const pairService = (engine: EngineChannel): ServiceImpl<typeof PairService> => ({
  async get() {
    return { pair: { self: JSON.stringify(await engine.request("pairStatus")) } } as never;
  },
  async switch() {
    const r = await engine.request("switchPair", "");
    if (!r.ok) throw toConnectError({ kind: "unconfigured", why: r.error });
    return {} as never;
  },
  async promote({ force }) {
    const r = await engine.request("promotePair", "", force);
    if (!r.ok) throw toConnectError({ kind: "unconfigured", why: r.error });
    return {} as never;
  },
  async follow({ frame }) {
    const r = await engine.request("followPair", frame);
    if (!r.ok) throw toConnectError({ kind: "unconfigured", why: r.error });
    return { frame: r.value } as never;
  },
});
