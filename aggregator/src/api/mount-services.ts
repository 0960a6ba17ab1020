import type { ConnectRouter } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Clock } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { TextStore } from "@realmwatch/shared/platform/text-store";
import type { Centre } from "../centre/centre.ts";
import type { AggregatorFlags } from "../flags.ts";
import { bulkSelections } from "./bulk-selections.ts";
import { bulkService } from "./bulk-service.ts";
import { completeHistory } from "./complete-history.ts";
import { forwardedQueries } from "./forwarded-queries.ts";
import { forwardingService } from "./forwarding-service.ts";

type MountOptions = {
  readonly flags: Pick<AggregatorFlags, "readOnly" | "forwardTimeout">;
  readonly centre: Centre;
  readonly authEnabled: boolean;
  readonly audit: AuditLogReader;
  /** Store of the selections of bulk commands. */
  readonly selections: TextStore;
  readonly clock: Clock;
};

/** Timeout for configuration calls, in which a realm may load a document, ms. */
const configurationTimeoutMs = 120_000;

/**
 * Registers the aggregator's services. Unregistered ones answer 404, such as CommandService: a command has to name its
 * realm. Services that are registered without implementation answer `unimplemented`.
 */
export function mountServices(router: ConnectRouter, options: MountOptions): void {
  const { flags, centre, authEnabled, audit, clock } = options;
  const info = { version, authEnabled, readOnly: flags.readOnly, realm: "", aggregator: true, toggles: undefined };
  const { forwarder, model } = centre;
  const realmQueries = forwardedQueries({ forwarder, model, timeoutMs: flags.forwardTimeout, clock });
  const history = completeHistory({ forwarder, model, timeoutMs: flags.forwardTimeout, claims: centre.historyClaims });
  router.service(QueryService, queryService({ model, serverInfo: () => info, clock, realmQueries, history }));
  if (flags.readOnly) return;
  const commands = { forwarder, timeoutMs: flags.forwardTimeout, mintKey: idGenerator(clock) };
  router.service(RealmCommandService, forwardingService(RealmCommandService, CommandService, commands));
  router.service(RealmBulkService, bulkService({ ...commands, model, selections: bulkSelections(options.selections) }));
  if (!authEnabled) return;
  router.service(AdminService, { listAuditRecords: listAuditRecords(audit) });
  const configuration = { ...commands, timeoutMs: configurationTimeoutMs };
  router.service(RealmAdminService, forwardingService(RealmAdminService, AdminService, configuration));
}
