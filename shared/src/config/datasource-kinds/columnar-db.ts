import { tableField } from "../sink-kinds/sink-kind.ts";
import { baseUrlField, datasourceKind } from "./datasource-kind.ts";

export const columnarDbDatasourceKind = datasourceKind("A columnar database that a sink of this type fills.", {
  url: baseUrlField,
  table: tableField,
});
