import { number } from "../parser/numbers.ts";
import type { Read } from "../parser/parser.ts";
import { optional, struct } from "../parser/structs.ts";
import { flag } from "../parser/strings.ts";

export const flap = struct(
  {
    enabled: optional(flag, true, { help: "Whether flapping is looked for at all.", example: false }),
    alpha: optional(number({ above: 0, max: 1 }), 0.1, {
      help: "Weight of the newest result in the moving average of changes.",
      example: 0.2,
    }),
    high_threshold: optional(number({ min: 0, max: 1 }), 0.3, {
      help: "Above this rate of changes the object flaps.",
      example: 0.5,
    }),
    low_threshold: optional(number({ min: 0, max: 1 }, 0), 0.15, {
      help: "Below this rate it no longer does.",
      example: 0.25,
      constraint: "at most `high_threshold`",
    }),
    notify_on_flap_stop: optional(flag, false, {
      help: "Whether a problem that holds is told of at once when flapping stops, not with the next result.",
      example: true,
    }),
  },
  {
    title: "Flap",
    intro: `An object flaps while it changes its status too often to be worth a notification each time. Every result counts 1
where the status changed and 0 where it did not; a moving average of that is compared with two thresholds. \`flap: {}\`
takes all defaults, and is written out because flap detection withholds notifications: nobody should get it unasked.`,
    example: `hosts: gw: {
	address: "192.0.2.1"
	check: {
		type: "icmp"
		host: "192.0.2.1"
		// A line that is known to be shaky: forget slower, and only call the worst flapping.
		flap: {alpha: 0.05, high_threshold: 0.5, low_threshold: 0.25}
	}
}`,
  },
);
export type FlapDocument = Read<typeof flap>;
/** What `flap: {}` reads as. */
export const defaultFlap: FlapDocument = flap({}, undefined, { problems: [], refusedTypes: {} });
