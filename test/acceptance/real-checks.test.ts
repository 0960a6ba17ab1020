import { after } from "node:test";
import { startTcpTarget } from "../run/processes.ts";
import { runScenarios } from "./run-scenarios.ts";
import { between, scenario } from "./scenario.ts";
import { scheduleCheck } from "./scenario-actions.ts";

const target = () => startTcpTarget({ after: (end) => after(end) });
const [dying, dead, well] = [await target(), await target(), await target()];
await dead.close();

const tcpCheck = (address: string, interval: string): string =>
  `{type: "tcp", address: "${address}", max_attempts: 1, check_interval: "${interval}", retry_interval: "${interval}", timeout: "20s", flap: {}}`;

runScenarios("real checks", {
  scenarios: [
    scenario(
      "[NO5, NO6] when a host fails and its service is checked first, only the host is notified",
      `hosts: "$web": {check: ${tcpCheck(dying.address, "1h")}, services: http: check: ${tcpCheck(dying.address, "1s")}}`,
      ({ at, expect, expectNone }) => {
        at(0, scheduleCheck("web"), scheduleCheck("web/http"));
        expectNone(between(0, 2));
        at(2, () => dying.close());
        expect(between(2, 4), "ann PROBLEM CRITICAL web");
        expectNone(between(4, 6));
        at(6, () => dying.open(), scheduleCheck("web"));
        expect(between(6, 8), "ann RECOVERY OK web");
        expectNone(between(8, 9));
      },
    ),
    scenario(
      "[NO6] a service problem is notified after one check of its host, which is up",
      `hosts: "$web": {check: ${tcpCheck(well.address, "1h")}, services: http: check: ${tcpCheck(dead.address, "1h")}}`,
      ({ at, expect, expectNone }) => {
        at(0, scheduleCheck("web/http"));
        expect(between(0, 3), "ann PROBLEM CRITICAL web/http");
        expectNone(between(3, 4));
      },
    ),
  ],
});
