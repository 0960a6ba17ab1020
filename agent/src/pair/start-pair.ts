import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { resolvedArguments } from "@realmwatch/shared/platform/flags/flags";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import type { ServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { PortAddress } from "@realmwatch/shared/port-host/port-host";
import { openAgentBus } from "../agent-core.ts";
import { openAgentMetrics } from "../agent-metrics.ts";
import { formatDiagnostics, loadConfigurationWithSource } from "../check-config.ts";
import { type RunningAgent, runAgent } from "../compose.ts";
import { journalKind } from "../journal/schema/journal-tables.ts";
import { AgentPortHost, type ServedAgent } from "../port-host/agent-port-host.ts";
import { portPlanOf } from "../port-host/port-plan.ts";
import { openRecoveredJournal } from "../recovered-journal.ts";
import { loadAuth, type PendingStart } from "../start-inputs.ts";
import { warnAtStart } from "../warn-at-start.ts";
import type { Duty, DutyStart } from "./duty.ts";
import type { DivergedSlice } from "./journal/diverged-copies.ts";
import { openJournalFollower } from "./journal/journal-follower.ts";
import { SnapshotSource } from "./journal/snapshot-source.ts";
import { NatsLeaseStore } from "./lease/nats-lease-store.ts";
import { linkVersion } from "./link/follow-messages.ts";
import { openPeerClient } from "./link/peer-client.ts";
import type { MemberSettings } from "./member/member-facts.ts";
import { PairMember } from "./pair-member.ts";
import { registerPairMetrics, TakeoverCounts } from "./pair-metrics.ts";
import { pairTimes } from "./pair-times.ts";
import { PlanCache } from "./plan-cache.ts";
import { standbyAudit } from "./standby-audit.ts";
import { standbyEngine } from "./standby-engine.ts";

/** Start of a member of a pair, as far as it is the same as that of any agent. */
type PairStart = Pick<PendingStart, "flags" | "log" | "service" | "loading" | "loader" | "cueVersion">;

/** Longest time in which a member that stops gives the realm up, ms. */
const stopLimitMs = 12_000;
const portGraceMs = 2_000;
/** Longest time in which the active member stores an audit record, ms. */
const auditTimeoutMs = 2_000;

/** Starts a member of a pair. The realm's agent runs in it while the member is active. */
export async function startPairMember(start: PairStart): Promise<Result<RunningProgram, ProgramExit>> {
  const { flags, log } = start;
  const clock = systemClock;
  const files = await readFiles(start);
  if (!files.ok) return files;
  const { configuration, auth, authorities } = files.value;
  const bus = await openAgentBus(flags, log);
  const { pair: memberName, pairPeer, pairSecret, dataDir, realm } = flags;
  if (bus === undefined || memberName === undefined || pairPeer === undefined || pairSecret === undefined)
    return cannotStart("realmwatch-agent: a pair needs -pair-peer, -pair-secret-file and -nats-url");
  const port = new AgentPortHost({ clock, log });
  const openFollower = () =>
    openJournalFollower({
      ...{ dataDir, realm, onReplaced: () => member.journalReplaced() },
      onCopyRemoved: (folder) => log.warn({ folder }, "pair: the oldest diverged copy is removed"),
    });
  const follower = await openFollower();
  if (!follower.ok) return cannotStart(`realmwatch-agent: ${follower.error}`);
  const settings: MemberSettings = {
    ...{ realm, member: memberName, instance: idGenerator(clock)() },
    ...{ schema: journalKind.version, link: linkVersion, leaseMs: flags.pairLease },
  };
  const plans = new PlanCache(configuration, (text) =>
    loadConfigurationWithSource(flags, clock, { text, loader: start.loader }),
  );
  const peer = openPeerClient({ url: pairPeer, authorities });
  const { metrics } = openAgentMetrics();
  const takeovers = new TakeoverCounts();
  const audit = standbyAudit({
    ...{ clock, port },
    forward: (record) => member.forward("recordAudit", [record], auditTimeoutMs),
  });
  const own = { ...start, auth, settings, plans, port, bus, takeovers, audit };
  const times = pairTimes(flags.pairLease);
  const standby = standbyAgent(own, {
    member: () => member,
    renderMetrics: async () => (await metrics.render()).text,
  });
  const member: PairMember = new PairMember({
    ...{ clock, log, settings, times, bus, port, standby, plans, dataDir },
    pagesWithoutRight: flags.pairOnLostLease === "page",
    secret: Buffer.from(pairSecret.reveal()),
    leases: new NatsLeaseStore({ bus, realm, timeoutMs: Math.min(5_000, times.renewalMs) }),
    send: peer.send,
    follower: follower.value,
    reopen: openFollower,
    startDuty: (duty) => startDuty(own, duty),
  });
  registerPairMetrics(metrics, () => member.status(), takeovers);
  const address = await port.serve(standby);
  if (address.ok) return ok(runMember(own, { member, address: address.value, peer, metrics }));
  peer.close();
  await Promise.all([follower.value.close(), bus.close()]);
  return cannotStart(`realmwatch-agent: ${address.error}`);
}

type MemberParts = {
  readonly member: PairMember;
  readonly address: PortAddress;
  readonly peer: ReturnType<typeof openPeerClient>;
  readonly metrics: ReturnType<typeof openAgentMetrics>["metrics"];
};

/** Starts the member, whose port is open, and reports readiness. */
function runMember(own: OwnParts, { member, address, peer, metrics }: MemberParts): RunningProgram {
  const { log, service, settings, plans, port, bus } = own;
  member.start();
  const { realm, member: name } = settings;
  service.ready(`realm ${realm}, member ${name}, ${address.address}:${address.port}`, () => undefined);
  log.info({ realm, member: name, address: address.url }, "agent is ready");
  warnAtStart(own.flags, log);
  return {
    reload() {
      port.reloadCertificate();
      if (!member.reload()) void reloadStandby(own, plans);
    },
    async stop() {
      log.info("stopping");
      service.stopping();
      await own.audit.close();
      await member.stop(stopLimitMs);
      await port.close(portGraceMs);
      peer.close();
      await bus.close();
      metrics.close();
    },
  };
}

/** Reads the files that the flags name: the configuration, the rules of access and the peer's authorities. */
async function readFiles({ flags, loading }: PairStart) {
  const [loaded, auth, authorities] = await Promise.all([loading, loadAuth(flags), readAuthorities(flags.pairTlsCa)]);
  if (!loaded.ok) return cannotStart(...formatDiagnostics(loaded.error));
  if (!auth.ok) return auth;
  if (!authorities.ok) return cannotStart(`realmwatch-agent: ${authorities.error}`);
  return ok({ configuration: loaded.value, auth: auth.value, authorities: authorities.value });
}

async function readAuthorities(path: string | undefined): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined);
  try {
    return ok(await readFile(path, "utf8"));
  } catch (error) {
    return fail(`-pair-tls-ca ${path} cannot be read: ${errorText(error)}`);
  }
}

type OwnParts = PairStart & {
  readonly auth: ServedAgent["start"]["auth"];
  readonly settings: MemberSettings;
  readonly plans: PlanCache;
  readonly port: AgentPortHost;
  readonly takeovers: TakeoverCounts;
  readonly bus: NatsBus;
  readonly audit: ReturnType<typeof standbyAudit>;
};

type StandbyParts = { member(): PairMember; renderMetrics(): Promise<string> };

/** Agent that the port serves while the member is not active. */
function standbyAgent(own: OwnParts, { member, renderMetrics }: StandbyParts): ServedAgent {
  const { flags, auth, settings, cueVersion, plans, audit } = own;
  return {
    start: {
      ...{ args: resolvedArguments(flags), auth, cueVersion, processKey: randomBytes(32) },
      instances: { own: settings.instance, previous: "" },
    },
    generation: settings.instance,
    realm: undefined,
    engine: standbyEngine({
      forward: (...call) => member().forward(...call),
      control: () => member(),
      renderMetrics,
      recordAudit: (record) => audit.add(record),
      dependencies: (readError) => member().dependencies(readError),
      noteDamagedRecord: (what) => own.log.error({ what }, "the journal is damaged"),
    }),
    plan: () => portPlanOf(plans.own.plan),
    livenessError: () => undefined,
  };
}

/** The manager of this program's service knows of the member, and not of each time that it is active. */
const noService: ServiceManager = { ready() {}, stopping() {} };

/** Opens the agent of the active member. */
async function startDuty(own: OwnParts, duty: DutyStart): Promise<Result<Duty, string>> {
  const { flags, log, loader, settings, plans, port, bus, cueVersion } = own;
  const { epoch, member, shipper, verified, right, control, previousInstance } = duty;
  const { metrics, measured } = openAgentMetrics();
  registerPairMetrics(metrics, () => control.status(), own.takeovers);
  const clock = systemClock;
  const { dataDir, realm } = flags;
  const loaded = await plans.planFor(duty.document);
  if (!loaded.ok)
    log.error(
      { diagnostics: loaded.error },
      "pair: the active member's document cannot be used here; this member's own one is",
    );
  plans.running = (loaded.ok ? loaded.value : plans.own).document;
  let journal: RunningAgent["journal"] | undefined;
  const running = await runAgent({
    ...{ flags, log, loader, metrics, measured, cueVersion, service: noService },
    loading: Promise.resolve(ok(loaded.ok ? loaded.value : plans.own)),
    loadingSinceMs: clock.monotonic(),
    opening: openRecoveredJournal(
      {
        ...{ dataDir, realm, clock, onSync: measured.synced, pair: shipper, verified, term: { epoch, member } },
        historyRetentionMs: flags.historyRetention,
        auditRetentionMs: flags.auditRetention,
      },
      log,
    ),
    host: {
      ...{ port, bus, right, control, epochHeard: duty.epochHeard, judgedUntilMs: duty.judgedUntilMs },
      instances: { own: settings.instance, previous: previousInstance },
      documentApplied(applied) {
        plans.own = applied;
        plans.running = applied.document;
        void journal?.keepDocument(applied.document);
      },
    },
  });
  if (!running.ok) return fail(running.error.lines.join("; "));
  const agent = running.value;
  journal = agent.journal;
  void journal.keepDocument(plans.running);
  const snapshots = new SnapshotSource({ dataDir, shipper, clock });
  return ok({
    parts: { shipper, snapshots },
    record: (entry) => agent.core.open.inputs.record(entry),
    merge: (from, slice) => mergeHistory(agent, from, slice),
    async keepFacts(json) {
      const kept = await agent.journal.keepPairFacts(json);
      return kept.ok ? kept : fail("the journal cannot be written");
    },
    reload: () => agent.reload(),
    async handOver() {
      await agent.handOver();
      await snapshots.end();
    },
  });
}

/** Appends records in their order and passes them on, as if they had happened here now. */
async function mergeHistory(
  { journal, core }: RunningAgent,
  member: string,
  { copy, entries, lastSeq }: DivergedSlice,
): Promise<Result<undefined, string>> {
  const stored = await journal.append({
    ...{ states: [], program: undefined, appliedCommandSeq: 0 },
    history: entries.map((entry) => ({ ...entry, divergedFrom: member })),
    merged: { from: `${member} ${copy}`, seq: lastSeq },
  });
  if (!stored.ok) return fail(formatRefusal(stored.error));
  core.sinks.historyAdvanced(stored.value.lastHistorySeq);
  core.link?.publisher.historyAdvanced(stored.value.lastHistorySeq);
  return ok(undefined);
}

/** Reads the configuration of a member that is not active again, for the time when it is. */
async function reloadStandby({ flags, log, loader }: PairStart, plans: PlanCache): Promise<void> {
  const loaded = await loadConfigurationWithSource(flags, systemClock, { loader });
  if (loaded.ok) plans.own = loaded.value;
  if (loaded.ok) log.info("the configuration was reloaded; it is in force once this member is active and reloads");
  else log.error({ diagnostics: formatDiagnostics(loaded.error) }, "the configuration was refused");
}
