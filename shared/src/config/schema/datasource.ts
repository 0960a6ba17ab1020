import { datasourceKinds } from "../datasource-kinds/datasource-kinds.ts";
import { map, variant } from "../parser/structs.ts";

const datasource = variant("datasource", datasourceKinds, {
  title: "Datasource",
  intro:
    "Source of the data of the dashboard's panels and of the metrics of objects; see [datasources](datasources.md).",
  example: `hosts: {}
datasources: prom: {type: "prometheus", url: "http://127.0.0.1:9090", default: true}`,
});

export const datasourcesParser = map(datasource);
