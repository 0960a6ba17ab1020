import { recurringIdPrefix } from "../model/downtime.ts";
import { fail, ok } from "../model/result.ts";
import { declareCommand, toObjects } from "./command-kind.ts";
import { malformed, missing } from "./resolve-target.ts";

type DeleteDowntime = { readonly ref: string; readonly id: string };

export const deleteDowntimeCommand = declareCommand("deleteDowntime", {
  kind: "delete_downtime",
  parse({ downtimeId: id }, { realm }) {
    if (id === "") return malformed("downtimeId", "is required");
    if (realm.plan.recurringDowntimes.some(({ name }) => id === recurringIdPrefix + name))
      return fail({
        kind: "unconfigured",
        why: `downtimeId: downtime ${JSON.stringify(id)} comes from the configuration: remove it there`,
      });
    const ref = realm.downtimeRefs.get(id);
    return ref === undefined ? missing("downtimeId", `downtime ${JSON.stringify(id)}`) : ok({ ref, id });
  },
  effects: ({ ref, id }: DeleteDowntime, { by }) => toObjects([ref], { kind: "delete_downtime", id, by }),
  annotations: (command) => ({ of: "downtimes", change: "delete", entries: [command] }),
});
