import { between, type Scenario, scenario } from "./scenario.ts";
import { downtime, type ResultStatus, submit } from "./scenario-actions.ts";

const gw = `hosts: "$gw": check: flap: enabled: true`;
const stable = (status: ResultStatus, count: number): ResultStatus[] => Array.from({ length: count }, () => status);

/** Scenarios of flapping. */
export const flappingScenarios: readonly Scenario[] = [
  scenario(
    // As in icinga2#10845.
    "[NO16] a problem that begins during flapping is notified after it, and so is its recovery",
    `hosts: "$gw": check: {max_attempts: 3, flap: enabled: true}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok", "critical", "ok", "critical", "ok"));
      expect(between(0, 1), "ann FLAPPING_START OK gw");
      at(1, submit("gw", ...stable("critical", 7)));
      expectNone(between(1, 2));
      at(2, submit("gw", ...stable("critical", 5)));
      expect(between(2, 3), "ann FLAPPING_STOP CRITICAL gw");
      expect(between(2, 3), "ann PROBLEM CRITICAL gw");
      at(3, submit("gw", "ok"));
      expect(between(3, 4), "ann RECOVERY OK gw");
    },
  ),

  scenario(
    "[NO16, NO14] the recovery of a notified problem is notified at the end of flapping",
    gw,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok", "ok", "critical"));
      expect(between(0, 1), "ann PROBLEM CRITICAL gw");
      at(1, submit("gw", "warning", "critical", "warning"));
      expect(between(1, 2), "ann STATUS_CHANGE WARNING gw", "ann STATUS_CHANGE CRITICAL gw");
      expect(between(1, 2), "ann FLAPPING_START WARNING gw");
      at(2, submit("gw", ...stable("ok", 5)));
      expectNone(between(2, 3));
      at(3, submit("gw", ...stable("ok", 10)));
      expect(between(3, 4), "ann FLAPPING_STOP OK gw");
      expect(between(3, 4), "ann RECOVERY OK gw");
    },
  ),

  scenario(
    "[NO16] with notify_on_flap_stop a problem is notified with the result that ends flapping",
    `hosts: "$gw": check: {max_attempts: 3, flap: {enabled: true, notify_on_flap_stop: true, alpha: 0.5, high_threshold: 0.7, low_threshold: 0.3}}`,
    ({ at, expect }) => {
      at(0, submit("gw", "ok", "critical", "ok"));
      expect(between(0, 1), "ann FLAPPING_START OK gw");
      at(1, submit("gw", ...stable("critical", 3)));
      expect(between(1, 2), "ann FLAPPING_STOP CRITICAL gw", "ann PROBLEM CRITICAL gw");
    },
  ),

  scenario(
    "[NO16] a problem that was suppressed by flapping and recovers with the next result is not notified",
    `hosts: "$gw": check: {max_attempts: 2, flap: {enabled: true, alpha: 0.5, high_threshold: 0.7, low_threshold: 0.3}}`,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok", "critical", "ok"));
      expect(between(0, 1), "ann FLAPPING_START OK gw");
      at(1, submit("gw", ...stable("critical", 3)));
      expect(between(1, 2), "ann FLAPPING_STOP CRITICAL gw");
      at(2, submit("gw", "ok"));
      expectNone(between(2, 4));
    },
  ),

  scenario(
    "[NO16, NO18] flapping that begins and ends in a downtime is not notified",
    gw,
    ({ at, expect, expectNone }) => {
      at(0, submit("gw", "ok"), downtime("gw", { forS: 4 }));
      expect(between(0, 1), "ann DOWNTIME_START OK gw");
      at(1, submit("gw", "critical", "ok", "critical", "ok", ...stable("ok", 12)));
      expectNone(between(1, 3.9));
      expect(between(3.9, 5), "ann DOWNTIME_END OK gw");
      expectNone(between(5, 6));
    },
  ),
];
