import { acknowledgementScenarios } from "./acknowledgements.ts";
import { contactDeliveryScenarios } from "./contact-delivery.ts";
import { downtimeScenarios } from "./downtimes.ts";
import { escalationScenarios } from "./escalation.ts";
import { flappingScenarios } from "./flapping.ts";
import { problemScenarios } from "./problems.ts";
import { reachabilityScenarios } from "./reachability.ts";
import { runScenarios } from "./run-scenarios.ts";

runScenarios("concurrent scenarios", {
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
