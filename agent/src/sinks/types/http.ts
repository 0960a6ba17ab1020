import { delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import type { SinkWriterType } from "../sink-type.ts";
import { classifySinkResponse, sinkRequestMs } from "../transport/sink-http-client.ts";

/** Sends each batch as lines of JSON in the body of one POST request. */
export const httpSinkType: SinkWriterType<"http"> = {
  timeoutMs: sinkRequestMs,
  open: ({ url, headers }, { http, realm }) => ({
    async send(batch, signal) {
      const body = formatEntryLines(batch, realm);
      if (body === "") return delivered;
      const response = await http.send(
        { url, headers: { "content-type": "application/x-ndjson", ...headers }, body },
        signal,
      );
      return response.kind === "response" ? classifySinkResponse(response) : response;
    },
    async close() {},
  }),
};
