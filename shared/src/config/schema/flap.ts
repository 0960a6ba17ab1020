import { number } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean } from "../parser/scalars.ts";
import { struct, withDefault } from "../parser/structs.ts";

export const flapParser = struct(
  {
    enabled: withDefault(boolean, true, { help: "Whether flapping is looked for at all.", example: false }),
    alpha: withDefault(number({ above: 0, max: 1 }), 0.1, {
      help: "Weight of the newest result in the moving average of changes.",
      example: 0.2,
    }),
    high_threshold: withDefault(number({ min: 0, max: 1 }), 0.3, {
      help: "Above this rate of changes the object flaps.",
      example: 0.5,
    }),
    low_threshold: withDefault(number({ min: 0, max: 1 }, 0), 0.15, {
      help: "Below this rate it no longer does.",
      example: 0.25,
      constraint: "at most `high_threshold`",
    }),
    notify_on_flap_stop: withDefault(boolean, false, {
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
export type FlapDocument = ParserOutput<typeof flapParser>;
/** What `flap: {}` reads as. */
export const defaultFlap: FlapDocument = flapParser({}, undefined, { problems: [], refusedTypes: {} });
