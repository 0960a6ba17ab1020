import type { CueObject } from "../../import/imported-document.ts";
import { IcingaDictionary, icingaText } from "../dsl/values.ts";
import { attributeList, type IcingaConfiguration, type IcingaObject } from "../icinga-object.ts";

/** Ranges of an object with date expressions, which are the same. */
export function rangesOf({ attributes }: IcingaObject): Record<string, string> {
  const ranges = attributes.get("ranges");
  if (!(ranges instanceof IcingaDictionary)) return {};
  const texts: Record<string, string> = {};
  for (const [name, value] of ranges.entries()) texts[name] = icingaText(value).replaceAll(/\s/g, "");
  return texts;
}

/** Converts timeperiods. Ranges of included ones are added to their own. */
export function convertIcingaTimeperiods(configuration: IcingaConfiguration): CueObject {
  const timeperiods: CueObject = {};
  for (const period of configuration.ofType("TimePeriod")) {
    const ranges = rangesOf(period);
    for (const name of attributeList(period, "includes")) {
      const included = configuration.find("TimePeriod", name);
      if (included === undefined) {
        configuration.unsupported(period, `the timeperiod ${name} is not declared`, "includes");
        continue;
      }
      for (const [day, times] of Object.entries(rangesOf(included)))
        ranges[day] = [ranges[day], times].filter(Boolean).join(",");
      configuration.approximated(period, `the ranges of ${name} are copied into it`, "includes");
    }
    const exclude = attributeList(period, "excludes");
    timeperiods[period.name] = exclude.length > 0 ? { ranges, exclude } : { ranges };
    configuration.converted(period);
  }
  return timeperiods;
}
