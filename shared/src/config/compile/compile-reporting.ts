import { problemStatuses } from "../../model/status.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { objectNameRule } from "../parser/names.ts";
import { namedStatuses } from "../parser/status-names.ts";
import type { DatasourcePlan, PanelPlan, RecurringDowntimePlan, SloPlan, ViewPlan } from "../plan.ts";
import { checkHeaders } from "./check-headers.ts";
import { type CompileContext, parseSelectorAt, reportProblem, requireDeclared, selectRefs } from "./compile-context.ts";
import { sloProcessName } from "./compile-slo-process.ts";

export function compileDowntimes(c: CompileContext): readonly RecurringDowntimePlan[] {
  return [...c.document.downtimes].map(([name, { selector, scope, period, comment }]) => {
    const path = ["downtimes", name];
    requireDeclared(c, "timeperiods", period, [...path, "period"]);
    const refs = selector === "" ? [] : (selectRefs(c, selector, { path: [...path, "selector"], kind: scope }) ?? []);
    return { name, refs, scope, period, comment };
  });
}

export function compileSlos(c: CompileContext): readonly SloPlan[] {
  if (c.document.slos.size > 0 && c.document.ui.availability === undefined)
    reportProblem(c, ["slos"], "need ui.availability to be declared");
  return [...c.document.slos].map(([name, slo]) => {
    const path = ["slos", name];
    requireDeclared(c, "timeperiods", slo.period, [...path, "period"]);
    if (slo.notification !== "") checkNotifyingSlo(c, name, slo.notification);
    checkSelector(c, slo.selector, { path: [...path, "selector"], current: false });
    const chosen = namedStatuses(slo.down_statuses);
    return {
      name,
      selector: slo.selector,
      target: slo.target,
      period: slo.period,
      excludeDowntimes: slo.exclude_downtimes,
      downStatuses: chosen.length === 0 ? problemStatuses : chosen,
      notification: slo.notification,
    };
  });
}

/** Checks an objective with notifications, which is an object: its name is that of a process. */
function checkNotifyingSlo(c: CompileContext, name: string, policy: string): void {
  const path = ["slos", name, "notification"];
  requireDeclared(c, "notifications", policy, path);
  const process = sloProcessName(name);
  const problem = objectNameRule.problemOf(process);
  if (problem !== undefined) reportProblem(c, path, `makes the SLO a process, which ${problem}`);
  if (c.document.processes.has(process))
    reportProblem(c, path, `shows the SLO as process ${JSON.stringify(process)}, which is declared too`);
}

export function compileViews(c: CompileContext): readonly ViewPlan[] {
  return [...c.document.views].map(([name, { selector, description }]) => {
    checkSelector(c, selector, { path: ["views", name, "selector"], current: true });
    return { name, selector, description };
  });
}

export function compileDatasources(c: CompileContext): readonly DatasourcePlan[] {
  const defaults = [...c.document.datasources].filter(([, source]) => source?.default === true).map(([name]) => name);
  for (const name of defaults.slice(1)) {
    const [first] = defaults;
    reportProblem(
      c,
      ["datasources", name, "default"],
      `is true, but ${JSON.stringify(first)} is the default one already`,
      {
        conflicts: [["datasources", first ?? "", "default"]],
      },
    );
  }
  return [...c.document.datasources].flatMap(([name, source]) => {
    if (source === undefined) return [];
    const { type, url, headers, default: isDefault } = source;
    checkHeaders(c, ["datasources", name, "headers"], headers);
    return [{ name, type, url, headers, table: source.type === "columnar_db" ? source.table : "", default: isDefault }];
  });
}

export function compilePanels(c: CompileContext): readonly PanelPlan[] {
  return [...c.document.ui.panels].map(([name, panel]) => {
    const path = ["ui", "panels", name];
    checkSelector(c, panel.selector, { path: [...path, "selector"], current: true });
    if (c.document.datasources.get(panel.datasource)?.type === "local")
      reportProblem(
        c,
        [...path, "datasource"],
        `names ${JSON.stringify(panel.datasource)}, a local one, which serves object metrics only`,
      );
    return { name, ...panel };
  });
}

/** Checks a selector unless it is empty. The parser has reported an empty selector where one is required. */
function checkSelector(
  c: CompileContext,
  text: string,
  options: { readonly path: DocumentPath; readonly current: boolean },
): void {
  if (text !== "") parseSelectorAt(c, text, options);
}
