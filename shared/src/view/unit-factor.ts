import { baseUnitOf } from "../text/plugin/base-unit.ts";

/** Factor from a plugin's unit to that of a datasource; undefined when the one is not the other's base unit. */
export function unitFactor(plugin: string, datasource: string): number | undefined {
  if (plugin === datasource || (plugin === "c" && datasource === "")) return 1;
  const [from, to] = [baseUnitOf(plugin), baseUnitOf(datasource)];
  return from.name !== "" && from.name === to.name && to.factor === 1 ? from.factor : undefined;
}
