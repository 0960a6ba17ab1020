import type { SavedView } from "../../model/catalog.ts";
import { declareCommand } from "../command-kind.ts";
import { parseView, viewsOf } from "./saved-views.ts";

type SaveView = Omit<SavedView, "author">;

export const saveViewCommand = declareCommand("saveView", {
  kind: "save_view",
  words: { action: "Save for all", noun: "view" },
  parse: (request, { realm }) => parseView(request, viewsOf(realm)),
  effects: ({ name, selector, description }: SaveView, { by: { author, onBehalfOf } }) => [
    { kind: "view", name, view: { name, selector, description, author: onBehalfOf === "" ? author : onBehalfOf } },
  ],
});
