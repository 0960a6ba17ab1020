import { acknowledgements } from "./acknowledgements.ts";
import { downtimes } from "./downtimes.ts";
import { escalation } from "./escalation.ts";
import { flapping } from "./flapping.ts";
import { playTogether } from "./play-together.ts";
import { problems } from "./problems.ts";
import { reception } from "./reception.ts";
import { surroundings } from "./surroundings.ts";

playTogether("side by side", {
  scenarios: [
    ...problems,
    ...escalation,
    ...acknowledgements,
    ...downtimes,
    ...flapping,
    ...surroundings,
    ...reception,
  ],
});
