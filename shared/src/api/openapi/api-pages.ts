import type { DescService } from "@bufbuild/protobuf";
import type { PageHandler } from "../../platform/http/pages.ts";
import { openApiDocument } from "./openapi-document.ts";
import { openApiPage, openApiPageStyle } from "./openapi-page.ts";

/**
 * Pages that describe the services, by path: OpenAPI for programs, HTML for people. Made at the first request, because
 * few processes are ever asked for them.
 *
 * @param services returns the services that are served
 */
export function apiPages(services: () => readonly DescService[], version: string): ReadonlyMap<string, PageHandler> {
  let made: { readonly json: string; readonly html: string } | undefined;
  const make = (): NonNullable<typeof made> => {
    if (made !== undefined) return made;
    const document = openApiDocument(services(), version);
    made = { json: `${JSON.stringify(document, null, 1)}\n`, html: openApiPage(document) };
    return made;
  };
  return new Map<string, PageHandler>([
    ["/api/", () => ({ status: 200, contentType: "text/html; charset=utf-8", body: make().html })],
    ["/api/page.css", () => ({ status: 200, contentType: "text/css; charset=utf-8", body: openApiPageStyle })],
    ["/api/openapi.json", () => ({ status: 200, contentType: "application/json", body: make().json })],
  ]);
}
