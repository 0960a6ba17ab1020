import { baseUrlField, datasourceKind } from "./datasource-kind.ts";

export const prometheusDatasourceKind = datasourceKind("A server with the query API of Prometheus.", {
  url: baseUrlField,
});
