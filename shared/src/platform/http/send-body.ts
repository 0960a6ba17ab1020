import type { ServerResponse } from "node:http";
import type { AdmittedRequest } from "../admission/admission.ts";
import type { HttpResponse } from "./http-messages.ts";

/** Size of the parts in which a body is passed to the connection, so that its progress shows, bytes. */
const partBytes = 65_536;

/** [PT28] Sends the body of a response, of which each part counts as not read until the connection has sent it. */
export function sendBody(response: HttpResponse, body: Uint8Array, admitted: AdmittedRequest | undefined): void {
  admitted?.wrote(body.length);
  sendFrom(0);

  function sendFrom(at: number): void {
    const part = body.subarray(at, at + partBytes);
    if (at + partBytes >= body.length) return void response.end(part);
    (response as ServerResponse).write(part, (error) => {
      if (error || response.destroyed) return;
      admitted?.sent(part.length);
      sendFrom(at + partBytes);
    });
  }
}
