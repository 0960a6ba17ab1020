import { declareCommand, toObjects } from "./command-kind.ts";
import { lineCommands, targetLines } from "./command-line.ts";
import { parseTargeted } from "./resolve-target.ts";

type RemoveAcknowledgement = { readonly refs: readonly string[] };

export const removeAcknowledgementCommand = declareCommand("removeAcknowledgement", {
  kind: "remove_acknowledgement",
  words: {
    action: "Remove acknowledgement",
    noun: "removal of the acknowledgement",
    onTarget: {
      path: "ack remove",
      summary: "Remove an acknowledgement.",
      done: (target) => `${target}: no longer acknowledged`,
    },
  },
  parse: ({ target }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs })),
  effects: ({ refs }: RemoveAcknowledgement, { by }) => toObjects(refs, { kind: "remove_acknowledgement", by }),
  lines: targetLines({ host: "REMOVE_HOST_ACKNOWLEDGEMENT", service: "REMOVE_SVC_ACKNOWLEDGEMENT" }, [], (refs) =>
    lineCommands([{ refs }]),
  ),
});
