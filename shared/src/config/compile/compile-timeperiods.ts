import { parseDateExpression } from "../../calendar/date-expression.ts";
import { parseTimeList } from "../../calendar/time-list.ts";
import type { TimeperiodPlan } from "../../calendar/timeperiod.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { maxTypoDistance } from "../../text/nearest-name.ts";
import { quoteText } from "../parser/parser.ts";
import { type CompileContext, nearestHint, reportCycles, reportProblem, requireDeclared } from "./compile-context.ts";

/** Compiles the timeperiods. Reports unknown time zones and periods, invalid times and cycles of exclusions. */
export function compileTimeperiods(c: CompileContext, localZone: string): ReadonlyMap<string, TimeperiodPlan> {
  const { timezone: rootZone, timeperiods } = c.document;
  checkZone(rootZone, ["timezone"], c);
  const plans = new Map<string, TimeperiodPlan>();
  for (const [name, { timezone, ranges, exclude }] of timeperiods) {
    const path = ["timeperiods", name];
    checkZone(timezone, [...path, "timezone"], c);
    for (const [expression, times] of ranges)
      checkRange(expression, times, { path: [...path, "ranges", expression], c });
    for (const [i, other] of exclude.entries()) requireDeclared(c, "timeperiods", other, [...path, "exclude", i]);
    const zone = timezone === "" ? rootZone : timezone;
    plans.set(name, {
      timezone: zone === "Local" ? localZone : zone,
      ranges: Object.fromEntries(ranges),
      exclude: [...new Set(exclude)],
    });
  }
  const edges = [...timeperiods].map(([name, { exclude }]) => {
    const path = ["timeperiods", name, "exclude"];
    return [name, exclude.map((to, i) => ({ to, path: [...path, i] }))] as const;
  });
  reportCycles(c, new Map(edges));
  return plans;
}

/** Reports a time zone that is neither `Local` nor an IANA name. Empty stands for the document's time zone. */
function checkZone(zone: string, path: DocumentPath, c: CompileContext): void {
  if (zone === "" || zone === "Local" || isZone(zone)) return;
  const known = nearestHint(zone, Intl.supportedValuesOf("timeZone"), maxTypoDistance(zone));
  reportProblem(c, path, `must be Local or a time zone's IANA name, not ${quoteText(zone)}${known}`);
}

function isZone(zone: string): boolean {
  // Intl also accepts offsets such as +01:00, which are not time zones.
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

type RangeContext = { readonly path: DocumentPath; readonly c: CompileContext };

function checkRange(expression: string, times: string, { path, c }: RangeContext): void {
  const days = parseDateExpression(expression);
  if (!days.ok) reportProblem(c, path, `is not a date expression: ${days.error}`);
  const list = parseTimeList(times);
  if (!list.ok) reportProblem(c, path, `has invalid times: ${list.error}`);
}
