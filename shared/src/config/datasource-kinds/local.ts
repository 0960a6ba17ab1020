import { string } from "../parser/scalars.ts";
import { withDefault } from "../parser/structs.ts";
import { datasourceKind } from "./datasource-kind.ts";

export const localDatasourceKind = datasourceKind(
  "The agent's own recent performance data: serves metrics of objects, but no panels.",
  { url: withDefault(string, "", { help: "Not used.", example: "" }) },
);
