import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { Health } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as AlphaServerReflection } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { type HealthOptions, healthService } from "./health-service.ts";
import { reflectionService } from "./reflection-service.ts";

/** Services of gRPC itself, which describe the others. They are usable without an identity, as `/healthz` is. */
export const discoveryServices: readonly DescService[] = [Health, ServerReflection, AlphaServerReflection];

/** Services that are registered with a router. */
export const servicesOf = ({ handlers }: Pick<ConnectRouter, "handlers">): readonly DescService[] => [
  ...new Set(handlers.map(({ service }) => service)),
];

/** Registers health and reflection for all services that the router has, and for themselves. */
export function mountDiscovery(router: ConnectRouter, options: Omit<HealthOptions, "services">): void {
  const own = servicesOf(router);
  const names = own.map(({ typeName }) => typeName);
  const reflection = reflectionService([...own, ...discoveryServices]);
  router.service(Health, healthService({ ...options, services: () => names }));
  router.service(ServerReflection, reflection as ServiceImpl<typeof ServerReflection>);
  router.service(AlphaServerReflection, reflection as ServiceImpl<typeof AlphaServerReflection>);
}
