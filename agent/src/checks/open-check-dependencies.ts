import { LateOpened } from "@realmwatch/shared/platform/late-opened";
import { allowAllOutbound } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openNameResolver, type ResolverOptions } from "../platform/dns/name-resolver.ts";
import { openEchoProber } from "../platform/icmp/echo-prober.ts";
import { openTrustedRoots } from "../platform/network/trusted-roots.ts";
import { openProgramPool, type ProgramPoolOptions } from "../platform/programs/program-pool.ts";
import type { ProgramCounts } from "../platform/programs/program-runner.ts";
import type { SnmpReader } from "../platform/snmp/snmp-request.ts";
import { openWasmPool } from "../platform/wasm/wasm-pool.ts";
import type { CheckDependencies } from "./check-type.ts";

type CheckToolsOptions = Pick<ProgramPoolOptions, "concurrency"> & Pick<ResolverOptions, "outbound" | "servers">;

/** Opens the resources that checks use. `close` ends all helper processes. */
export function openCheckDependencies(options: CheckToolsOptions = {}): CheckDependencies & {
  programCounts(): ProgramCounts;
  close(): Promise<void>;
} {
  const { outbound = allowAllOutbound, servers, ...pool } = options;
  const clock = systemClock;
  const programs = openProgramPool({ clock, ...pool });
  const modules = openWasmPool({ clock });
  const echoes = openEchoProber({ clock });
  return {
    clock,
    programs,
    programCounts: () => programs.counts(),
    modules,
    echoes,
    trustedRoots: openTrustedRoots(),
    resolver: openNameResolver({ clock, outbound, ...(servers === undefined ? {} : { servers }) }),
    snmp: lateSnmpReader(),
    async close() {
      await Promise.all([programs.close(), modules.close(), echoes.close()]);
    },
  };
}

/** Loads the reader with its protocol. */
export const loadSnmpReader = () => import("../platform/snmp/snmp-reader.ts");

/** Opens the reader at the first check that needs it. */
function lateSnmpReader(): SnmpReader {
  const reader = new LateOpened(async () => (await loadSnmpReader()).openSnmpReader({ clock: systemClock }));
  return { get: async (request, signal) => (await reader.get()).get(request, signal) };
}
