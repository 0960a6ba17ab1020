import { between, type Scenario, scenario } from "./scenario.ts";
import { submit } from "./scenario-actions.ts";

const unnotifiedGate = `hosts: "$gate": notification: ""`;
const depends = (more: string): string => `${unnotifiedGate}
hosts: "$web": {}
dependencies: "$net": {dependents: [{ref: "$web"}], on: {ref: "$gate"}, fails_on: ["critical"], ${more}}`;

/** Scenarios of hosts that are down, unreachable hosts and dependencies. */
export const reachabilityScenarios: readonly Scenario[] = [
  scenario(
    "[NO21] a failed dependency suppresses a problem until it clears",
    depends(`suppress: "all"`),
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("gate", "critical"), submit("web", "ok", "critical"));
      expectNone(between(0, 2));
      at(2, submit("gate", "ok"));
      expect(between(2, 3), "ann PROBLEM CRITICAL web");
    },
  ),

  scenario(
    "[NO21] a problem that has recovered when the dependency clears is not notified",
    depends(`suppress: "all"`),
    (timeline) => {
      const { at, expectNone } = timeline;
      at(0, submit("gate", "critical"), submit("web", "ok", "critical", "ok"));
      at(1, submit("gate", "ok"));
      expectNone(between(0, 3));
    },
  ),

  scenario(
    "[NO21, NO14] a dependency that suppresses all defers a recovery as well",
    depends(`suppress: "all"`),
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("gate", "ok"), submit("web", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web");
      at(1, submit("gate", "critical"), submit("web", "ok"));
      expectNone(between(1, 3));
      at(3, submit("gate", "ok"));
      expect(between(3, 4), "ann RECOVERY OK web");
    },
  ),

  scenario(
    "[NO21, NO14] a dependency that suppresses problems does not suppress a recovery",
    depends(`suppress: "problems"`),
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("gate", "ok"), submit("web", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web");
      at(1, submit("gate", "critical"), submit("web", "ok"));
      expect(between(1, 2), "ann RECOVERY OK web");
      at(2, submit("web", "critical"));
      expectNone(between(2, 4));
    },
  ),

  scenario(
    "[NO21, DP2] a dependency on hard states ignores a soft problem, one on soft states does not",
    `hosts: "$gate": {notification: "", check: max_attempts: 3}
hosts: {"$web": {}, "$app": {}}
dependencies: {
	"$hard": {dependents: [{ref: "$web"}], on: {ref: "$gate"}, fails_on: ["critical"], states: "hard"}
	"$soft": {dependents: [{ref: "$app"}], on: {ref: "$gate"}, fails_on: ["critical"], states: "soft"}
}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("gate", "ok", "critical"), submit("web", "critical"), submit("app", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web");
      expectNone(between(1, 2));
      at(2, submit("gate", "ok"));
      expect(between(2, 3), "ann PROBLEM CRITICAL app");
    },
  ),

  scenario(
    "[NO5] a service problem is not notified while its host is down",
    `hosts: "$web": services: http: {}`,
    (timeline) => {
      const { at, expect, expectNone } = timeline;
      at(0, submit("web", "ok"), submit("web/http", "ok"), submit("web", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web");
      at(1, submit("web/http", "critical"));
      expectNone(between(1, 2));
      at(2, submit("web", "ok"));
      expect(between(2, 3), "ann RECOVERY OK web");
      expectNone(between(3, 4));
      at(4, submit("web/http", "critical"));
      expect(between(4, 5), "ann PROBLEM CRITICAL web/http");
    },
  ),

  scenario(
    "[NO5] a service that recovers with its host is not notified",
    `hosts: "$web": services: http: {}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("web", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web");
      at(1, submit("web/http", "critical"), submit("web", "ok"), submit("web/http", "ok"));
      expect(between(1, 2), "ann RECOVERY OK web");
      expectNone(between(2, 3));
    },
  ),

  scenario(
    "[NO14] the recovery of a service is notified while its host is down",
    `hosts: "$web": services: http: {}`,
    ({ at, expect }) => {
      at(0, submit("web", "ok"), submit("web/http", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL web/http");
      at(1, submit("web", "critical"));
      expect(between(1, 2), "ann PROBLEM CRITICAL web");
      at(2, submit("web/http", "ok"));
      expect(between(2, 3), "ann RECOVERY OK web/http");
    },
  ),

  scenario(
    "[NO4] an unreachable host is not notified until its status is another one",
    `hosts: {"$gw": {}, "$web": parents: ["$gw"]}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok"), submit("web", "ok"), submit("gw", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL gw");
      at(1, submit("web", "critical"));
      expectNone(between(1, 2));
      at(2, submit("gw", "ok"));
      expect(between(2, 3), "ann RECOVERY OK gw");
      at(3, submit("web", "critical"));
      expect(between(3, 4), "ann PROBLEM CRITICAL web");
    },
  ),

  scenario(
    "[RE2] a host is unreachable only when all its parents are down",
    `hosts: {"$one": {}, "$two": {}, "$web": parents: ["$one", "$two"]}`,
    ({ at, expect }) => {
      at(0, submit("one", "ok"), submit("two", "ok"), submit("web", "ok"), submit("one", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL one");
      at(1, submit("web", "critical"));
      expect(between(1, 2), "ann PROBLEM CRITICAL web");
    },
  ),
];
