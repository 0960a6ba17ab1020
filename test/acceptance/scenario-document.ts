import type { Scenario } from "./scenario.ts";

/** Prefix of names of the scenario at this index, written `$` in its document. */
export const scenarioPrefix = (at: number): string => `s${String(at).padStart(2, "0")}-`;

/** Defaults of all scenarios: hosts and services are passive with one attempt, contacts are webhooks. */
const sharedDefaults = (receiverUrl: string): string => `
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

/** Defaults of one scenario: its hosts and services have policy `$ops`, which notifies `$ann`. */
const scenarioDefaults = (prefix: string): string => `
hosts: [=~"^${prefix}"]: {
	notification: *"${prefix}ops" | string
	services: [string]: {notification: *"${prefix}ops" | string, ...}
	...
}
contacts: "${prefix}ann": {}
notifications: "${prefix}ops": {levels: *[{contacts: ["${prefix}ann"]}] | [...], ...}
`;

/** Document of all scenarios of an agent. `config` returns the part of one scenario. */
export const scenarioDocument = (
  scenarios: readonly Scenario[],
  receiverUrl: string,
  config: (scenario: Scenario) => string = (scenario) => scenario.config,
): string =>
  sharedDefaults(receiverUrl) +
  scenarios
    .map((each, at) => scenarioDefaults(scenarioPrefix(at)) + config(each).replaceAll("$", scenarioPrefix(at)))
    .join("\n");
