import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import {
  AdminService,
  type ConfigChanges,
  type GetConfigResponse,
  type ListAuditRecordsResponse,
} from "@realmwatch/proto/svc/v1/admin_pb";
import { RealmAdminService } from "@realmwatch/proto/svc/v1/realm_pb";
import { useMemo } from "react";
import { useAppContext } from "../context/app-context.tsx";
import { useIdentity, useServerInfo } from "./server-info.ts";

/** Limits of ListAuditRecords; `sinceMs` is Unix ms. */
type AuditLimits = { readonly sinceMs: number | undefined; readonly limit: number };

/** Configuration and audit log of a realm. Methods reject with the server's error. */
export type AdminClient = {
  document(realm: string, signal?: AbortSignal): Promise<Pick<GetConfigResponse, "cue" | "changedOnDisk">>;
  validate(realm: string, cue: string, signal?: AbortSignal): Promise<void>;
  /** Validates a document and returns what it would change. */
  changes(realm: string, cue: string): Promise<ConfigChanges | undefined>;
  apply(realm: string, cue: string): Promise<void>;
  /** Audit records, newest first; of the aggregator itself for an empty realm. */
  audit(realm: string, page: AuditLimits, signal?: AbortSignal): Promise<ListAuditRecordsResponse["records"]>;
};

/** A document is evaluated as a whole, which takes up to a minute, ms. */
const timeoutMs = 120_000;

/** Client of the connected server: an aggregator forwards to the realm, an agent has only its own. */
export function useAdminClient(): AdminClient {
  const { transport } = useAppContext();
  const { info } = useServerInfo();
  const aggregator = info?.aggregator === true;
  return useMemo(() => {
    const own = createClient(AdminService, transport);
    const centre = createClient(RealmAdminService, transport);
    const options = (signal?: AbortSignal) => ({ timeoutMs, ...(signal === undefined ? {} : { signal }) });
    const pageOf = ({ sinceMs, limit }: AuditLimits) => ({
      limit,
      ...(sinceMs === undefined ? {} : { since: timestampFromMs(sinceMs) }),
    });
    const validated = (realm: string, request: { cue: string; listChanges?: boolean }, signal?: AbortSignal) =>
      aggregator
        ? centre.validateConfig({ realm, request }, options(signal))
        : own.validateConfig(request, options(signal));
    return {
      async audit(realm, page, signal) {
        const { records } =
          aggregator && realm !== ""
            ? await centre.listAuditRecords({ realm, request: pageOf(page) }, options(signal))
            : await own.listAuditRecords(pageOf(page), options(signal));
        return records;
      },
      document: (realm, signal) =>
        aggregator ? centre.getConfig({ realm, request: {} }, options(signal)) : own.getConfig({}, options(signal)),
      validate: async (realm, cue, signal) => void (await validated(realm, { cue }, signal)),
      changes: async (realm, cue) => (await validated(realm, { cue, listChanges: true })).changes,
      async apply(realm, cue) {
        if (aggregator) await centre.applyConfig({ realm, request: { cue } }, options());
        else await own.applyConfig({ cue }, options());
      },
    };
  }, [transport, aggregator]);
}

/** Reason why the pages of administrators are not usable; undefined when they are. */
export function useAdminBlockedReason(): string | undefined {
  const { info } = useServerInfo();
  const identity = useIdentity();
  if (info === undefined) return "Waiting for the server";
  if (info.authEnabled !== true)
    return "This server has no identities. Started with -auth-config, it lets administrators see and change this.";
  if (info.readOnly === true) return "This server is read-only, and its administration is not served.";
  if (identity === undefined) return "Waiting for the server";
  return identity.mayAdminister ? undefined : `Needs the role admin: ${identity.name} is ${identity.role}.`;
}
