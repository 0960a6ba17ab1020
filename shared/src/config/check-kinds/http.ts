import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { checkKind } from "./check-kind.ts";

export type HttpSpec = { readonly type: "http"; readonly url: string };

export const httpCheckKind = checkKind({
  summary: "Fetches a URL, following at most 5 redirects: 4xx is a warning, 5xx and no answer are critical.",
  uses: "none",
  fields: { url: required(nonEmptyString, { help: "URL to fetch.", example: "https://www.example.org/health" }) },
  compile: ({ url }): HttpSpec => ({ type: "http", url }),
  target: ({ url }) => url,
});
