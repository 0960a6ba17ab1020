import { type CueObject, groupLabel, unusedName } from "../../import/imported-document.ts";
import {
  attributeSwitch,
  attributeText,
  type IcingaConfiguration,
  type IcingaObject,
  shortName,
  targetRefOf,
} from "../icinga-object.ts";
import type { IcingaHosts } from "./hosts.ts";
import { rangesOf } from "./timeperiods.ts";

/**
 * Converts scheduled downtimes: those with the same name, ranges and comment become one, whose objects have a label.
 *
 * @param timeperiods receives the periods of the downtimes
 */
export function convertIcingaDowntimes(
  configuration: IcingaConfiguration,
  hosts: IcingaHosts,
  timeperiods: CueObject,
): CueObject {
  const downtimes: CueObject = {};
  const names = new Map<string, string>();
  for (const object of configuration.ofType("ScheduledDowntime")) {
    const ref = targetRefOf(object);
    if (!isCarriedOver(configuration, hosts, { object, ref })) continue;
    const scope = ref.includes("!") ? "service" : "host";
    const comment = attributeText(object, "comment") ?? "";
    const key = JSON.stringify([shortName(object), scope, rangesOf(object), comment]);
    const name = names.getOrInsertComputed(key, () => unusedName(shortName(object), downtimes));
    const label = groupLabel("hostgroup", name).replace("hostgroup.", "downtime.");
    hosts.label(ref, label);
    if (Object.hasOwn(downtimes, name)) continue;
    const period = unusedName(`downtime-${name}`, timeperiods);
    timeperiods[period] = { ranges: rangesOf(object) };
    downtimes[name] = { selector: label, scope, period, comment };
  }
  return downtimes;
}

function isCarriedOver(
  configuration: IcingaConfiguration,
  hosts: IcingaHosts,
  { object, ref }: { readonly object: IcingaObject; readonly ref: string },
): boolean {
  const options = attributeText(object, "child_options");
  const why =
    hosts.find(ref) === undefined
      ? `its object ${ref} is not in the document`
      : attributeSwitch(object, "fixed", true)
        ? undefined
        : "a recurring downtime cannot be flexible";
  if (why !== undefined) configuration.unsupported(object, why, "fixed");
  else if (options !== undefined && options !== "DowntimeNoChildren" && options !== "0")
    configuration.unsupported(object, "child_options is left out: children are not in downtime", "child_options");
  else configuration.converted(object);
  return why === undefined;
}
