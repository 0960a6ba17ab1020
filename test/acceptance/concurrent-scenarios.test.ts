import { acknowledgementScenarios } from "./acknowledgements.ts";
import { downtimeScenarios } from "./downtimes.ts";
import { escalationScenarios } from "./escalation.ts";
import { flappingScenarios } from "./flapping.ts";
import { runScenarios } from "./run-scenarios.ts";
import { problemScenarios } from "./problems.ts";
import { contactDeliveryScenarios } from "./contact-delivery.ts";
import { reachabilityScenarios } from "./reachability.ts";

runScenarios("side by side", {
  scenarios: [
    ...problemScenarios,
    ...escalationScenarios,
    ...acknowledgementScenarios,
    ...downtimeScenarios,
    ...flappingScenarios,
    ...reachabilityScenarios,
    ...contactDeliveryScenarios,
  ],
});
