import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type AgentOutputs, openAgentOutputs } from "./agent-outputs.ts";
import { openCheckRunner } from "./check-runner.ts";
import type { AgentFlags } from "./flags.ts";
import { type OpenRealm, recoverRealm } from "./realm/open-realm.ts";
import { measuredEngine } from "./service-levels/measured-realm.ts";
import { ServiceLevels } from "./service-levels/service-levels.ts";
import type { PendingStart, StartInputs } from "./start-inputs.ts";

/** The parts of an agent that work without its port: realm, checks, notifications and event handlers. */
export type AgentCore = Omit<AgentOutputs, "listeners"> & {
  readonly open: OpenRealm;
  readonly serviceLevels: ServiceLevels;
  /** Undefined without `-nats-url`. */
  readonly bus: NatsBus | undefined;
  /** Ends running checks and deliveries, at most `graceMs` after the call; call it after `open.stop`. */
  close(graceMs: number): Promise<void>;
};

/** Opens the realm after everything that it needs. Checks and notifications begin with `open.start()`. */
export async function openAgentCore(start: PendingStart, inputs: StartInputs): Promise<AgentCore> {
  const clock = systemClock;
  const { flags, log, metrics, measured } = start;
  const { journal, kept, epoch } = inputs.recovered;
  const { realm: name } = flags;
  measured.configEvaluated(inputs.loadedInMs);
  await logCutTimeouts(start, inputs.plan);
  const policy = outboundPolicyOf(flags, { demo: flags.configProfile === "demo" });
  const recovered = recoverRealm({
    ...{ name, plan: inputs.plan, clock, epoch, stored: kept },
    judgedUntilMs: start.host?.judgedUntilMs,
  });
  const checks = openCheckRunner({ outbound: policy, metrics });
  const bus = start.host?.bus ?? (await openAgentBus(flags, log));
  const zones =
    bus &&
    (await import("./remote-zones.ts")).openRemoteZones({
      ...{ realm: name, bus, metrics, insecure: flags.insecureWorker },
      epoch: start.host?.right === undefined ? undefined : epoch,
    });
  const { listeners, ...outputs } = await openAgentOutputs({
    ...{ start, inputs, recovered, bus, policy },
    run: checks.run,
  });
  const open = await recovered.open({
    journal,
    run: checks.run,
    zones: new Set(flags.zones),
    runElsewhere: zones?.run,
    source: name,
    maxConcurrentChecks: flags.maxConcurrentChecks,
    listeners,
  });
  const { realm } = open;
  // Rows without the effects of accepted commands would be published as the present ones.
  outputs.link?.publisher.start();
  return {
    ...outputs,
    open,
    serviceLevels: new ServiceLevels({ realm: measuredEngine(realm), journal, clock }),
    bus,
    async close(graceMs) {
      zones?.close();
      await Promise.all([checks.close(), outputs.close(graceMs)]);
    },
  };
}

/** Opens the connection to NATS; undefined without `-nats-url`. */
export async function openAgentBus(flags: AgentFlags, log: PendingStart["log"]): Promise<NatsBus | undefined> {
  if (flags.natsUrl === undefined) return undefined;
  // Modules of NATS take a fifth of the start of an agent, of which many have no such server.
  const { openNatsBus } = await import("@realmwatch/shared/platform/nats/nats-bus");
  const { realmInboxPrefix } = await import("@realmwatch/shared/wire/nats/nats-subjects");
  return openNatsBus({
    url: flags.natsUrl.reveal(),
    ...natsCredentialFiles(flags),
    name: `realmwatch-agent ${flags.realm}`,
    inboxPrefix: realmInboxPrefix(flags.realm),
    clock: systemClock,
    log,
  });
}

/** Logs which timeouts of a plan its pair cuts. */
export async function logCutTimeouts({ log, host }: PendingStart, plan: RealmPlan): Promise<void> {
  if (host === undefined) return;
  const { cutTimeoutWarnings } = await import("./pair/cut-timeouts.ts");
  for (const warning of cutTimeoutWarnings(plan, host.right.longestActionMs)) log.warn(warning);
}
