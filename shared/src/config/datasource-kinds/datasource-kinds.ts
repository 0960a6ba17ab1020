import { columnarDbDatasourceKind } from "./columnar-db.ts";
import { localDatasourceKind } from "./local.ts";
import { prometheusDatasourceKind } from "./prometheus.ts";

/** Every datasource type by the name that a document gives as `type`. Schema, reference and plans follow from this map. */
export const datasourceKinds = {
  prometheus: prometheusDatasourceKind,
  columnar_db: columnarDbDatasourceKind,
  local: localDatasourceKind,
};

export type DatasourceType = keyof typeof datasourceKinds;
