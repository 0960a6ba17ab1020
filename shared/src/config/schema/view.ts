import { nonEmptyString, string } from "../parser/scalars.ts";
import { map, required, struct, withDefault } from "../parser/structs.ts";

const view = struct(
  {
    selector: required(nonEmptyString, {
      help: "Selector of the objects that the view shows.",
      example: "app=shop,@status=critical",
      constraint: "a selector; `@status` is allowed",
    }),
    description: withDefault(string, "", { help: "Free text.", example: "Problems of the shop." }),
  },
  {
    title: "View",
    intro: "A named selection of objects for the dashboard. The key is its name and may be any text.",
    example: `hosts: {}
views: "Shop, broken": {selector: "app=shop,@status in (critical,unknown)", description: "Problems of the shop."}`,
  },
);

export const viewsParser = map(view);
