import { writeFileSync } from "node:fs";
import { apiPage, apiPageUrl } from "./api-page.ts";
import { pageUrl, referencePage } from "./reference-page.ts";

writeFileSync(pageUrl, referencePage());
writeFileSync(apiPageUrl, apiPage());
