import { writeFileSync } from "node:fs";
import { pageUrl, referencePage } from "./reference-page.ts";

writeFileSync(pageUrl, referencePage());
