import { number } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean } from "../parser/scalars.ts";
import { struct, withDefault } from "../parser/structs.ts";

export const flapParser = struct(
  {
    enabled: withDefault(boolean, true, { help: "Enables flap detection.", example: false }),
    alpha: withDefault(number({ above: 0, max: 1 }), 0.1, {
      help: "Weight of the newest result in the moving average of status changes.",
      example: 0.2,
    }),
    high_threshold: withDefault(number({ min: 0, max: 1 }), 0.3, {
      help: "Change rate from which flapping starts, at a result that changes the status.",
      example: 0.5,
    }),
    low_threshold: withDefault(number({ min: 0, max: 1 }, 0), 0.15, {
      help: "Change rate down to which flapping stops, at a result that does not change the status.",
      example: 0.25,
      constraint: "at most `high_threshold`",
    }),
    notify_on_flap_stop: withDefault(boolean, false, {
      help: "Sends the notification of a problem that persists as soon as flapping stops, not after the next result.",
      example: true,
    }),
  },
  {
    title: "Flap",
    intro: `An object flaps while its status changes so often that single notifications are suppressed. Each result counts 1 if the
status changed and 0 if not; the moving average of these values is compared with two thresholds. \`flap: {}\` uses all
defaults. The field is required because flap detection suppresses notifications and must be a deliberate choice.`,
    example: `hosts: gw: {
	address: "192.0.2.1"
	check: {
		type: "icmp"
		host: "192.0.2.1"
		// An unreliable line: average over more results, and detect only severe flapping.
		flap: {alpha: 0.05, high_threshold: 0.5, low_threshold: 0.25}
	}
}`,
  },
);
export type FlapDocument = ParserOutput<typeof flapParser>;
/** Value of `flap: {}`. */
export const defaultFlap: FlapDocument = flapParser({}, undefined, { problems: [], allowedUses: undefined });
