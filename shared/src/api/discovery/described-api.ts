import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { Health } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as AlphaServerReflection } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { version } from "../../model/version.ts";
import { apiPages } from "../openapi/api-pages.ts";
import type { DependencyStatus } from "../probe-pages.ts";
import { type HealthOptions, healthService } from "./health-service.ts";
import { reflectionService } from "./reflection-service.ts";

type DescribedApiOptions = Pick<HealthOptions, "clock"> & {
  readonly livenessError: () => string | undefined;
  readonly dependencies: () => readonly DependencyStatus[] | Promise<readonly DependencyStatus[]>;
};

/** Services of gRPC itself, which describe the others. They are usable without an identity, as `/healthz` is. */
export const discoveryServices: readonly DescService[] = [Health, ServerReflection, AlphaServerReflection];

/** All services of the contract; the flags decide which of them a program registers. */
export const contractServices: readonly DescService[] = [
  QueryService,
  CommandService,
  AuthService,
  AdminService,
  RealmCommandService,
  RealmBulkService,
  RealmAdminService,
];

/** The API together with the services and pages that describe it. */
export function describedApi({ clock, livenessError, dependencies }: DescribedApiOptions) {
  const services: DescService[] = [];
  const isReady = async (): Promise<boolean> =>
    livenessError() === undefined && (await dependencies()).every(({ ok, needed }) => ok || !needed);
  return {
    /** Registers services by `mount` and, for all of them, health and reflection. */
    mount(router: ConnectRouter, mount: (router: ConnectRouter) => void) {
      mount(router);
      services.push(...new Set(router.handlers.map(({ service }) => service)));
      const names = services.map(({ typeName }) => typeName);
      const reflection = reflectionService([...services, ...discoveryServices]);
      router.service(Health, healthService({ clock, isReady, services: () => names }));
      router.service(ServerReflection, reflection as ServiceImpl<typeof ServerReflection>);
      router.service(AlphaServerReflection, reflection as ServiceImpl<typeof AlphaServerReflection>);
    },
    pages: apiPages(() => services, version),
    /** True for a path of a service of the contract that is not registered, whatever the method. */
    isUnmounted(path: string): boolean {
      const name = path.split("/")[1];
      const service = contractServices.find(({ typeName }) => typeName === name);
      return service !== undefined && !services.includes(service);
    },
  };
}
