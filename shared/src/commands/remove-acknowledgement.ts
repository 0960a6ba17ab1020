import { declareCommand, toObjects } from "./command-kind.ts";
import { parseTargeted } from "./resolve-target.ts";

type RemoveAcknowledgement = { readonly refs: readonly string[] };

export const removeAcknowledgementCommand = declareCommand("removeAcknowledgement", {
  kind: "remove_acknowledgement",
  parse: ({ target }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs })),
  effects: ({ refs }: RemoveAcknowledgement, { by }) => toObjects(refs, { kind: "remove_acknowledgement", by }),
});
