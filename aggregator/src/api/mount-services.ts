import type { ConnectRouter } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Identity } from "@realmwatch/shared/model/role";
import { version } from "@realmwatch/shared/model/version";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { AggregatorFlags } from "../flags.ts";
import type { Forwarder } from "../forward/forwarder.ts";
import type { PortStores } from "../port/port-stores.ts";
import type { HistoryClaim } from "../realms/history-page.ts";
import { bulkSelections } from "./bulk-selections.ts";
import { bulkService } from "./bulk-service.ts";
import { completeHistory } from "./complete-history.ts";
import { forwardedQueries } from "./forwarded-queries.ts";
import { forwardingService } from "./forwarding-service.ts";
import { ownCommands } from "./own-commands.ts";
import { ownNotes, withOwnNotes } from "./own-notes.ts";
import { ownViews } from "./own-views.ts";
import { realmAlerts } from "./realm-alerts.ts";

type MountOptions = Pick<PortStores, "selections" | "notes" | "views"> & {
  readonly flags: Pick<AggregatorFlags, "readOnly" | "forwardTimeout">;
  /** Read model that answers `unavailable` while it may be incomplete. */
  readonly model: ReadModel;
  readonly forwarder: () => Forwarder;
  /** History records that each realm has; undefined for a realm that is not heard now. */
  readonly historyClaims: () => ReadonlyMap<string, HistoryClaim | undefined>;
  readonly authEnabled: boolean;
  readonly warnings: (caller: Identity | undefined) => readonly string[];
  readonly audit: AuditLogReader;
  readonly clock: Clock;
};

/** Timeout for configuration calls, in which a realm may load a document, ms. */
const configurationTimeoutMs = 120_000;

/**
 * Registers the aggregator's services. Unregistered ones answer 404, such as CommandService: a command has to name its
 * realm. Services that are registered without implementation answer `unimplemented`.
 */
export function mountServices(router: ConnectRouter, options: MountOptions): void {
  const { flags, model, forwarder, authEnabled, audit, clock } = options;
  const info = { version, authEnabled, readOnly: flags.readOnly, realm: "", aggregator: true, toggles: undefined };
  const realmQueries = forwardedQueries({ forwarder, model, timeoutMs: flags.forwardTimeout, clock });
  const notes = ownNotes(options.notes);
  const views = ownViews(options.views, model);
  const history = withOwnNotes(
    completeHistory({ forwarder, model, timeoutMs: flags.forwardTimeout, claims: options.historyClaims }),
    notes,
  );
  const heard = async (): Promise<readonly string[]> => {
    const realms = await model.realms();
    return realms.ok ? realms.value.filter(({ reachable }) => reachable).map(({ name }) => name) : [];
  };
  const alerts = realmAlerts({ forwarder, realms: heard, timeoutMs: flags.forwardTimeout, clock });
  const serverInfo = async () => ({ ...info, unmappedAlerts: await alerts() });
  const { warnings } = options;
  router.service(
    QueryService,
    queryService({ model, serverInfo, warnings, clock, realmQueries, history, ownViews: views.list }),
  );
  if (flags.readOnly) return;
  const commands = { forwarder, timeoutMs: flags.forwardTimeout, mintKey: idGenerator(clock) };
  const forwarding = forwardingService(RealmCommandService, CommandService, commands);
  router.service(RealmCommandService, ownCommands(forwarding, { ...commands, model, notes, views }));
  router.service(RealmBulkService, bulkService({ ...commands, model, selections: bulkSelections(options.selections) }));
  if (!authEnabled) return;
  router.service(AdminService, { listAuditRecords: listAuditRecords(audit) });
  const configuration = { ...commands, timeoutMs: configurationTimeoutMs };
  router.service(RealmAdminService, forwardingService(RealmAdminService, AdminService, configuration));
}
