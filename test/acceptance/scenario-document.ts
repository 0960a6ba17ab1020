import type { Scenario } from "./scenario.ts";

/** `$` of scenario number 7 of an agent. */
export const scenarioPrefix = (at: number): string => `s${String(at).padStart(2, "0")}-`;

/** What every scenario may leave out: hosts are believed at once and nobody checks them, contacts are webhooks. */
const prelude = (receiverUrl: string): string => `
contacts: [Name=string]: {
	type: *"webhook" | string
	if type == "webhook" {url: *"${receiverUrl}/\\(Name)" | string}
	...
}
#passive: {type: "passive", freshness_threshold: *"1h" | string, max_attempts: *1 | int, flap: *{enabled: false} | {...}, ...}
hosts: [string]: {
	address: *"127.0.0.1" | string
	check:   *#passive | {...}
	services: [string]: {check: *#passive | {...}, ...}
	...
}
`;

/** ... and each of its hosts and services has policy \`$ops\`, which tells \`$ann\`. */
const own = (prefix: string): string => `
hosts: [=~"^${prefix}"]: {
	notification: *"${prefix}ops" | string
	services: [string]: {notification: *"${prefix}ops" | string, ...}
	...
}
contacts: "${prefix}ann": {}
notifications: "${prefix}ops": {levels: *[{contacts: ["${prefix}ann"]}] | [...], ...}
`;

/** One document for all scenarios side by side. `config` answers a scenario's piece of it. */
export const scenarioDocument = (
  scenarios: readonly Scenario[],
  receiverUrl: string,
  config: (scenario: Scenario) => string = (scenario) => scenario.config,
): string =>
  prelude(receiverUrl) +
  scenarios.map((each, at) => own(scenarioPrefix(at)) + config(each).replaceAll("$", scenarioPrefix(at))).join("\n");
