import { ok } from "../../model/result.ts";
import { declareCommand } from "../command-kind.ts";
import { parseViewDeletion, viewsOf } from "./saved-views.ts";

type DeleteView = { readonly name: string };

export const deleteViewCommand = declareCommand("deleteView", {
  kind: "delete_view",
  words: { action: "Delete", noun: "deletion of the view" },
  parse({ name }, { realm }) {
    const parsed = parseViewDeletion(name, viewsOf(realm));
    return parsed.ok ? ok({ name }) : parsed;
  },
  effects: ({ name }: DeleteView) => [{ kind: "view", name, view: undefined }],
});
