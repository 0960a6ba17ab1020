import type { DescService } from "@bufbuild/protobuf";
import { Health } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as AlphaServerReflection } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { RealmAdminService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { maxBatchedResults } from "../../commands/process-check-results.ts";
import type { RpcLimit } from "../../platform/rpc/rpc-limit.ts";

const mib = 1_048_576;

/** Limit of every RPC that is not in `rpcLimits`. */
export const defaultRpcLimit: RpcLimit = { maxBytes: mib, deadlineMs: 30_000 };

const batch: RpcLimit = {
  ...defaultRpcLimit,
  maxBytes: 16 * mib,
  entries: { field: "results", max: maxBatchedResults },
};
const configuration: RpcLimit = { ...defaultRpcLimit, deadlineMs: 120_000 };
const document: RpcLimit = { ...configuration, maxBytes: 64 * mib };

/** A client of reflection sends several requests on one stream, as a person asks for them. */
const reflection: RpcLimit = { maxBytes: 65_536, deadlineMs: 600_000 };
const watch: RpcLimit = { maxBytes: 65_536, deadlineMs: 86_400_000 };

/** A member waits up to a second for what comes next; it may forward a document to the active one. */
const link: RpcLimit = { maxBytes: 32 * mib, deadlineMs: 5_000 };

const pathsOf = (limit: RpcLimit, methods: readonly string[], services: readonly DescService[]) =>
  services.flatMap((service) => methods.map((method) => [`/${service.typeName}/${method}`, limit] as const));

/** Limits by path that differ from the default. */
export const rpcLimits: ReadonlyMap<string, RpcLimit> = new Map([
  ...pathsOf(batch, ["ProcessCheckResults"], [CommandService, RealmCommandService]),
  ...pathsOf(document, ["ValidateConfig", "ApplyConfig"], [AdminService, RealmAdminService]),
  ...pathsOf(reflection, ["ServerReflectionInfo"], [ServerReflection, AlphaServerReflection]),
  ...pathsOf(watch, ["Watch"], [Health]),
  ...pathsOf(link, ["Follow"], [PairService]),
  ...pathsOf(configuration, ["GetConfig"], [AdminService, RealmAdminService]),
]);

/** [AU9] Paths whose requests are never refused as malformed: reads of the configuration and of audit records. */
export const lenientRpcs: ReadonlySet<string> = new Set(
  [AdminService.method.getConfig, AdminService.method.listAuditRecords].map(
    (method) => `/${method.parent.typeName}/${method.name}`,
  ),
);
